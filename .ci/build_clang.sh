#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Clang 16 with assertions, every warning an error: everything compiles, tests pass.
source "$(dirname "$0")/common.sh"
CC=clang-16 CXX=clang++-16 build clang -Dbuildtype=debug -Doptimization=1
run_tests "$top/build-clang"
