#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC without OpenMP: every call is serial, and right.
source "$(dirname "$0")/common.sh"
targets=("${test_programs[@]}")
build serial -Dopenmp=disabled -Disas=avx2 -Dperf=false
run_tests "$top/build-serial"
