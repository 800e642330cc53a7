#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heed-audit experiments looks at the library, not at itself: with the subtraction of the maximum taken out of the
# streaming kernels, in a copy of the tree, experiment D fails and the others hold.
source "$(dirname "$0")/common.sh"
tree="$builds/experiments"
targets=(perf/heed-audit)
audit="$tree/build/perf/heed-audit"

copy_tree "$tree"
build_tree "$tree" "$tree/build" -Disas=baseline
say "as it is: $("$audit" experiments | tail -n 1)"

# take_out FILE TEXT: in both kernels, for row tiles and for few rows.
take_out() {
  local file="$tree/src/kernels/$1" text
  text=$(< "$file")
  [[ $text == *"$2"* ]] || fail "$1 has no '$2' any more: take the maximum out elsewhere"
  printf '%s\n' "${text//"$2"/"exp<Arch>(score)"}" > "$file"
}
take_out softmax_tile.hpp 'exp<Arch>(score - reference[r])'
take_out few_rows_weights.hpp 'exp<Arch>(score - reference)'
build_tree "$tree" "$tree/build"
must_fail 'exp without subtracting the maximum' '^experiments: A ok B ok C ok D FAIL$' "$audit" experiments
