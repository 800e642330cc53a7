#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The path on oneDNN 3.2: the same source, other constructors and another library.
source "$(dirname "$0")/common.sh"
onednn=$("$top/third_party/unpack-onednn-3.2.sh" "$builds/onednn-3.2")
export CPLUS_INCLUDE_PATH="$onednn/include" LIBRARY_PATH="$onednn/lib" LD_LIBRARY_PATH="$onednn/lib"
targets=("${test_programs[@]}")
build onednn3 --werror -Disas=avx2 -Donednn=enabled -Dperf=false
ldd "$builds/onednn3/tests/heed-cases" | grep -q 'libdnnl.so.3' || fail 'the tests are not linked with oneDNN 3'
run_tests "$builds/onednn3"
