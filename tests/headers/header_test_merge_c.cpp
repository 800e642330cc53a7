// SPDX-License-Identifier: Apache-2.0
// heed/merge.h as C++11 users see it: the same names, with C linkage.
#include <heed/merge.h>

int main() { return heed_merge(nullptr, 0, nullptr, nullptr, nullptr, 0) == HEED_OK; }
