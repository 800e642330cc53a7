// SPDX-License-Identifier: Apache-2.0
// Runs doctest cases that use one ISA at most; tests/main.cpp asks for every one.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
