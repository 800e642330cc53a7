// SPDX-License-Identifier: Apache-2.0
// heed/multi_head.h needs no other header, in C99.
#include <heed/multi_head.h>

int main(void) { return heed_multi_head_attention(NULL, NULL, NULL, NULL, NULL, NULL, 0) == 0; }
