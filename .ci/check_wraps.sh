#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# third_party/*.wrap without a network: a local repository with this machine's headers, laid out and tagged as
# upstream's are, answers in the place of each address. Everything but the download itself is what a user's
# machine would do.
source "$(dirname "$0")/common.sh"
work="$builds/wraps"
tree="$work/tree"
rm -rf "$work"
mkdir -p "$work"
copy_tree "$tree"

redirects=0
# upstream NAME HEADERS FOLDER: an upstream repository whose FOLDER holds HEADERS.
upstream() {
  local url tag repository="$work/$1"
  url=$(sed -n 's/^url = //p' "$top/third_party/$1.wrap")
  tag=$(sed -n 's/^revision = //p' "$top/third_party/$1.wrap")
  mkdir -p "$repository/$3"
  cp -r "$2" "$repository/$3/"
  git -C "$repository" init -q
  git -C "$repository" add .
  git -C "$repository" -c user.name=check -c user.email=check@localhost commit -q -m headers
  git -C "$repository" tag "$tag"
  export "GIT_CONFIG_KEY_$redirects=url.file://$repository.insteadOf" "GIT_CONFIG_VALUE_$redirects=$url"
  redirects=$((redirects + 1))
  export GIT_CONFIG_COUNT=$redirects
}
upstream xsimd /usr/include/xsimd include
upstream doctest /usr/include/doctest .
upstream CLI11 /usr/include/CLI include
upstream nlohmann_json /usr/include/nlohmann single_include

meson setup "$work/build" "$tree" --wrap-mode=forcefallback -Disas=baseline > "$work/setup.log" 2>&1 ||
  { tail -n 40 "$work/setup.log" >&2; fail 'meson setup'; }
for name in xsimd doctest CLI11 nlohmann_json; do
  grep -qi "dependency $name found: YES.*(overridden)" "$work/setup.log" || fail "$name did not come from its wrap"
done
ninja -C "$work/build" tests/heed-cases > "$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" >&2; exit 1; }
"$work/build/tests/heed-cases" --path reference "$top/tests/data/cases.json" > /dev/null
say 'xsimd, doctest, CLI11 and nlohmann_json by their wraps'
