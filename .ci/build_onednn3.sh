#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The path on oneDNN 3.2: the same source, other constructors and another library.
source "$(dirname "$0")/common.sh"
onednn=$("$top/third_party/unpack-onednn-3.2.sh" "$builds/onednn-3.2")
export CPLUS_INCLUDE_PATH="$onednn/include" LIBRARY_PATH="$onednn/lib" LD_LIBRARY_PATH="$onednn/lib"
targets=("${test_programs[@]}" tests/onednn/onednn tests/onednn/onednn-memory)
build onednn3 -Disas=avx2 -Donednn=enabled -Dperf=false
ldd "$top/build-onednn3/tests/heed-cases" | grep 'libdnnl.so.3' > /dev/null || fail 'the tests are not linked with oneDNN 3'
run_tests "$top/build-onednn3"
say "$("$top/build-onednn3/tests/onednn/onednn" | grep 'test cases:')"
say "memory: $("$top/build-onednn3/tests/onednn/onednn-memory")"
ONEDNN_DEFAULT_FPMATH_MODE=BF16 "$top/build-onednn3/tests/heed-cases" --path onednn "$top/tests/data/cases.json" |
  tail -n 1 | grep ' 0 failed' || fail 'bfloat16 by environment changes results'
