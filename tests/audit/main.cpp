// SPDX-License-Identifier: Apache-2.0
// Runs the doctest cases about heed-audit. The working folder is the root of the checkout.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
