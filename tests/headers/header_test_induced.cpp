// SPDX-License-Identifier: Apache-2.0
// heed/induced.hpp needs no other header.
#include <heed/induced.hpp>

int main() { return heed::induced_attention({}, {}, {}, {}, {}, {}).ok() ? 1 : 0; }
