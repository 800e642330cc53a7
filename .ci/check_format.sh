#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file is as clang-format leaves it. `.ci/check_format.sh --fix` makes it so.
source "$(dirname "$0")/common.sh"
cd "$top"
mapfile -t files < <(find include src perf tests .ci -path tests/data -prune -o -type f -name '*.[ch]*' -print | grep -E '\.(h|hpp|c|cpp)$')
if [ "${1-}" = --fix ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run --Werror "${files[@]}" || fail "run .ci/check_format.sh --fix"
fi
say "${#files[@]} files"
