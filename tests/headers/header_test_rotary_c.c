// SPDX-License-Identifier: Apache-2.0
// heed/rotary.h needs no other header, in C99.
#include <heed/rotary.h>

int main(void) { return heed_rotate(NULL, NULL, NULL, NULL, NULL, 0) == 0; }
