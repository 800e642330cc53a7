// SPDX-License-Identifier: Apache-2.0
// heed/cross_check.h as C++11 users see it: the same names, with C linkage.
#include <heed/cross_check.h>

int main() { return heed_verdict_name(HEED_PASS) == nullptr; }
