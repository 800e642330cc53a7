// SPDX-License-Identifier: Apache-2.0
// heed/query_scaling.h as C++11 users see it: the same names, with C linkage.
#include <heed/query_scaling.h>

int main() { return heed_scale_queries(nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0) == 0; }
