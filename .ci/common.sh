# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks: where things lie, and how a configuration is built once and shared.
# Builds and logs go to build-ci/ in the checkout; a second run builds only what changed.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builds="$top/build-ci"
check=$(basename "$0")

say() { printf '%s: %s\n' "$check" "$*"; }
fail() {
  printf '%s: %s\n' "$check" "$*" >&2
  exit 1
}

# build_tree SOURCE NAME [meson options...]: configures SOURCE into $builds/NAME and builds it. CC and CXX
# choose the compiler; `targets` (an array) builds less than everything.
build_tree() {
  local source=$1 folder="$builds/$2"
  shift 2
  if ! [ -f "$folder/build.ninja" ]; then
    rm -rf "$folder"
    mkdir -p "$builds"
    meson setup "$folder" "$source" "$@" > "$builds/setup.log" 2>&1 || { cat "$builds/setup.log" >&2; return 1; }
  fi
  ninja -C "$folder" "${targets[@]}" > "$folder/build.log" 2>&1 || { tail -n 60 "$folder/build.log" >&2; return 1; }
}
targets=()
build() { build_tree "$top" "$@"; }

# test_suites NAME SUITES [meson test options...]: runs the tests of a comma-separated list of suites, quietly.
test_suites() {
  local folder="$builds/$1" suites=()
  local suite
  for suite in ${2//,/ }; do suites+=(--suite "$suite"); done
  shift 2
  meson test -C "$folder" --no-rebuild --print-errorlogs "${suites[@]}" "$@"
}

# copy_tree FOLDER: the files of the checkout, without builds and history; times are kept.
copy_tree() {
  rm -rf "$1"
  mkdir -p "$1"
  tar -C "$top" --exclude=./.git --exclude='./build*' --exclude='__pycache__' -cf - . | tar -C "$1" -xf -
}

# must_fail WHAT REGEX COMMAND...: for checks of the checks. The command fails, and says REGEX.
must_fail() {
  local what=$1 regex=$2 output
  shift 2
  if output=$("$@" 2>&1); then fail "not caught: $what"; fi
  output=$(grep -E -m 1 -- "$regex" <<< "$output") || { "$@" >&2 || true; fail "$what: failed for another reason"; }
  say "caught: $what (${output:0:160})"
}
