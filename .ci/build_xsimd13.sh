#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The newest xsimd that a Debian has (13.2), unpacked into a folder, and what only it can do: the templates
# of avx512 at their width of 16, emulated in plain C++, so that their logic runs on any machine.
source "$(dirname "$0")/common.sh"
PKG_CONFIG_PATH=$("$top/third_party/unpack-trixie-xsimd.sh" "$builds/xsimd-13.2")
export PKG_CONFIG_PATH
targets=("${test_programs[@]}")
build xsimd13 -Disas=auto,emulated512 -Dperf=false
grep -q '^#define XSIMD_VERSION_MAJOR 13' "$builds"/xsimd-13.2/usr/include/xsimd/config/xsimd_config.hpp ||
  fail 'the unpacked xsimd is not version 13'
run_tests "$top/build-xsimd13"
