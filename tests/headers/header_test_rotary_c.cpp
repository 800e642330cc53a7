// SPDX-License-Identifier: Apache-2.0
// heed/rotary.h as C++11 users see it: the same names, with C linkage.
#include <heed/rotary.h>

int main() { return heed_rotate(nullptr, nullptr, nullptr, nullptr, nullptr, 0) == 0; }
