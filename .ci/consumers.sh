#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Four projects outside use heed and check a number: C with pkg-config, C++ with find_package(heed), C with
# pkg-config --static, and Meson with heed as a subproject; the installed ones against a shared heed, a
# static one, and both.
source "$(dirname "$0")/common.sh"
here="$top/.ci/consumers"
work="$builds/consumers"
rm -rf "$work"
mkdir -p "$work"

quietly() {
  "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }
}
# ran WHAT COMMAND...: the program prints its number and says whether it is right.
ran() {
  local what=$1 output
  shift
  output=$("$@") || fail "$what: $output"
  say "$what: $output"
}

for libraries in shared static both; do
  prefix="$work/$libraries"
  build "library-$libraries" -Ddefault_library="$libraries" -Disas=baseline -Dtests=false -Dperf=false --prefix="$prefix" --libdir=lib
  quietly meson install -C "$top/build-library-$libraries" --no-rebuild
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
  static=(); [ "$libraries" != static ] || static=(--static)
  # An installed library may not lean on the folder where it was built.
  ! grep -rqF "$top/build-library-$libraries" "$prefix" || fail "$libraries: the installed files name the build folder"

  # shellcheck disable=SC2046  # pkg-config prints words
  quietly gcc -std=c99 -Wall -Werror "$here/c/main.c" -o "$prefix/c" $(pkg-config "${static[@]}" --cflags --libs heed) -lm
  ran "$libraries, C, pkg-config ${static[*]}" env LD_LIBRARY_PATH="$prefix/lib" "$prefix/c"

  quietly cmake -S "$here/cmake" -B "$prefix/cmake" -DCMAKE_PREFIX_PATH="$prefix"
  quietly cmake --build "$prefix/cmake"
  ran "$libraries, C++, find_package" "$prefix/cmake/consumer"
done
[ "$(readelf -d "$work/shared/c" | grep -c 'NEEDED.*libheed\.so\.0\]')" = 1 ] || fail 'shared: the program does not ask for libheed.so.0'
! readelf -d "$work/static/c" | grep 'NEEDED.*libheed' > /dev/null || fail 'static: the program asks for a shared heed'

# pkg-config --static where the shared library lies beside the static one.
quietly gcc -std=c99 "$here/c/main.c" -o "$work/both/c-static" -Wl,-Bstatic -lheed -L"$work/both/lib" -Wl,-Bdynamic \
  $(pkg-config --static --cflags --libs heed)
ran 'both, C, the static one' "$work/both/c-static"

for libraries in shared static; do
  project="$work/meson-$libraries"
  mkdir -p "$project/subprojects"
  cp "$here/meson/meson.build" "$here/main.cpp" "$project/"
  copy_tree "$project/subprojects/heed"
  quietly meson setup "$project/build" "$project" --force-fallback-for=heed -Ddefault_library="$libraries" \
    -Dheed:default_library="$libraries" -Dheed:isas=baseline
  quietly ninja -C "$project/build"
  ran "$libraries, Meson subproject" "$project/build/consumer"
done
