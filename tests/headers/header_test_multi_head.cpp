// SPDX-License-Identifier: Apache-2.0
// heed/multi_head.hpp needs no other header.
#include <heed/multi_head.hpp>

int main() { return heed::multi_head_attention({}, {}, {}, {}).ok() ? 1 : 0; }
