#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heed-audit experiments looks at the library, not at itself: with the subtraction of the maximum taken out of the
# streaming kernels, in a copy of the tree, experiment D fails and the others hold.
source "$(dirname "$0")/common.sh"
tree="$builds/experiments-tree"
targets=(perf/heed-audit)
audit="$builds/experiments/perf/heed-audit"

copy_tree "$tree"
rm -rf "$builds/experiments"
build_tree "$tree" experiments -Disas=baseline
say "as it is: $("$audit" experiments | tail -n 1)"

file="$tree/src/kernels/softmax_tile.hpp"
text=$(< "$file")
old='exp<Arch>(score - reference[r])'
[[ $text == *"$old"* ]] || fail "softmax_tile.hpp has no '$old' any more: take the maximum out elsewhere"
printf '%s\n' "${text/"$old"/"exp<Arch>(score)"}" > "$file"
build_tree "$tree" experiments
must_fail 'exp without subtracting the maximum' '^experiments: A ok B ok C ok D FAIL$' "$audit" experiments
