#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# aarch64 by Debian's cross compiler, under emulation.
source "$(dirname "$0")/common.sh"
targets=("${test_programs[@]}")
build aarch64 --cross-file "$top/.ci/cross/aarch64-linux-gnu.ini" -Dperf=false
run_tests "$top/build-aarch64" qemu-aarch64-static -L /usr/aarch64-linux-gnu
