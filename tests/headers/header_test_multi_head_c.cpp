// SPDX-License-Identifier: Apache-2.0
// heed/multi_head.h as C++11 users see it: the same names, with C linkage.
#include <heed/multi_head.h>

int main() { return heed_multi_head_attention(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0) == 0; }
