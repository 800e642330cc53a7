// SPDX-License-Identifier: Apache-2.0
// heed/attention.h as C++11 users see it: the same names, with C linkage.
#include <heed/attention.h>

int main() { return heed_version() == nullptr; }
