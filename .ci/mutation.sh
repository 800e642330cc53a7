#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A test that cannot fail is no test: one line of the kernels is broken at a time, in a copy of the tree, and
# the tests must go red.
source "$(dirname "$0")/common.sh"
tree="$builds/mutation"
targets=(tests/heed-cases tests/end_to_end)
export HEED_ISA=baseline
all_tests() {
  (cd "$top" && "$tree/build/tests/heed-cases" --path streaming tests/data/cases.json &&
    "$tree/build/tests/end_to_end" -tse=slow) 2>&1
}

copy_tree "$tree"
build_tree "$tree" "$tree/build" -Disas=baseline -Dperf=false
all_tests > "$builds/mutation.log" || { tail -n 20 "$builds/mutation.log" >&2; fail 'red before anything is broken'; }
say "as it is: $(grep -E 'test cases:|[0-9]+ passed, ' "$builds/mutation.log" | paste -sd' ')"

# break_line FILE OLD NEW: replaces the first OLD of the file, sees the cases fail, and mends it.
break_line() {
  local file="$tree/src/kernels/$1" text
  text=$(< "$file")
  [[ $text == *"$2"* ]] || fail "$1 has no '$2' any more: choose another line to break"
  printf '%s\n' "${text/"$2"/"$3"}" > "$file"
  build_tree "$tree" "$tree/build"
  must_fail "$1: '$2' as '$3'" '(passed, |passed \| )[1-9][0-9]* failed' all_tests
  printf '%s\n' "$text" > "$file"
}
break_line exp.hpp 'F(0.166676387f)' 'F(0.1668f)'
break_line softmax_tile.hpp '(load<Arch>(chain_sum + r * n) * rescale)' 'load<Arch>(chain_sum + r * n)'
break_line mask_tile.hpp '(number >= end)' '(number > end)'
break_line few_rows_weights.hpp '(load<Arch>(sums + c) * rescale)' 'load<Arch>(sums + c)'
break_line class_tile.hpp '(weight == F(hidden_weight), F(0.0f), weight)' '(weight == F(hidden_weight), weight, weight)'
