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

# take_out FILE NAME: what is subtracted from a score, in both kernels, for row tiles and for few rows. NAME is then
# mentioned only, lest a warning stop the build.
take_out() {
  local file="$tree/src/kernels/$1" text old="exp<Arch>(score - $2)"
  text=$(< "$file")
  [[ $text == *"$old"* ]] || fail "$1 has no '$old' any more: take the maximum out elsewhere"
  printf '%s\n' "${text//"$old"/"(static_cast<void>($2), exp<Arch>(score))"}" > "$file"
}
take_out softmax_tile.hpp 'reference[r]'
take_out few_rows_weights.hpp 'reference'
build_tree "$tree" "$tree/build"
must_fail 'exp without subtracting the maximum' '^experiments: A ok B ok C ok D FAIL$' "$audit" experiments
