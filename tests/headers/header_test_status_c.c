// SPDX-License-Identifier: Apache-2.0
// heed/status.h needs no other header, in C99.
#include <heed/status.h>

int main(void) { return HEED_OK; }
