// SPDX-License-Identifier: Apache-2.0
// heed/induced.h needs no other header, in C99.
#include <heed/induced.h>

int main(void) { return heed_induced_attention(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0) == 0; }
