// SPDX-License-Identifier: Apache-2.0
// heed/induced.h as C++11 users see it: the same names, with C linkage.
#include <heed/induced.h>

int main() {
  return heed_induced_attention(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr, 0) == 0;
}
