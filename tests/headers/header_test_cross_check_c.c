// SPDX-License-Identifier: Apache-2.0
// heed/cross_check.h needs no other header, in C99.
#include <heed/cross_check.h>

int main(void) { return heed_verdict_name(HEED_PASS) == NULL; }
