# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks: where things lie, and how a configuration is built once and shared.
# A configuration NAME is built in build-NAME/, all else goes to build-ci/; a second run builds only what changed.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builds="$top/build-ci"
mkdir -p "$builds"
# Meson compiles through ccache where it is installed. Configurations share most of their objects, as long as the
# way from the build to the sources is the same, ../src, and so are the warnings: all of them are errors.
export CCACHE_DIR="$builds/ccache"
check=$(basename "$0")

say() { printf '%s: %s\n' "$check" "$*"; }
fail() {
  printf '%s: %s\n' "$check" "$*" >&2
  exit 1
}

# build_tree SOURCE FOLDER [meson options...]: configures SOURCE into FOLDER, which lies in it, and builds it. CC and
# CXX choose the compiler; `targets` (an array) builds less than everything.
build_tree() {
  local source=$1 folder=$2
  shift 2
  if ! [ -f "$folder/build.ninja" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    meson setup "$folder" "$source" --werror "$@" > "$folder/setup.log" 2>&1 || { cat "$folder/setup.log" >&2; return 1; }
  fi
  ninja -C "$folder" "${targets[@]}" > "$folder/build.log" 2>&1 || { tail -n 60 "$folder/build.log" >&2; return 1; }
}
targets=()

# main_build: the release build by GCC that tests/run and perf/run use as well, in build/.
main_build() {
  [ -f "$top/build/build.ninja" ] || meson setup "$top/build" "$top" --werror > /dev/null
  ninja -C "$top/build" > "$builds/build.log" 2>&1 || { tail -n 60 "$builds/build.log" >&2; return 1; }
}
build() { build_tree "$top" "$top/build-$1" "${@:2}"; }

# run_tests FOLDER [WRAPPER...]: the test programs of a build; under an emulator without the tests of
# not_emulated. Prints each program's own summary.
test_programs=(tests/unit tests/api/validate_test tests/end_to_end tests/cross_check/cross_check_test tests/fuzz tests/heed-cases
  tests/api/c_api_test)
# An emulator keeps memory of its own for every thread that there was.
not_emulated=('*short-lived threads*')
run_tests() {
  local folder=$1 program arguments log emulated=()
  shift
  [ $# = 0 ] || emulated=("-tce=$(IFS=,; echo "${not_emulated[*]}")")
  log="$folder/tests.log"
  for program in "${test_programs[@]}"; do
    case "$program" in
      tests/heed-cases) arguments=("$top/tests/data/cases.json" "$top/tests/data/onnx_attention.json" "$top"/tests/data/tabular/*.json) ;;
      tests/fuzz) arguments=(--seconds=10) ;;
      tests/api/c_api_test) arguments=() ;;
      *) arguments=(-tse=slow "${emulated[@]}") ;;
    esac
    local started=$SECONDS
    (cd "$top" && "$@" "$folder/$program" "${arguments[@]}") > "$log" 2>&1 < /dev/null || {
      tail -n 60 "$log" >&2
      fail "failed: $* $program ${arguments[*]}"
    }
    say "$program: $(grep -E '^seed |test cases:|[0-9]+ passed, ' "$log" | sed 's/^\[doctest\] //; s/ *| */, /g' |
      paste -sd';' | sed 's/;/; /g'), $((SECONDS - started)) s"
  done
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
