// SPDX-License-Identifier: Apache-2.0
// heed/classes.h as C++11 users see it: the same names, with C linkage.
#include <heed/classes.h>

int main() { return heed_attention_classes(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0) == 0; }
