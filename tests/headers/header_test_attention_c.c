// SPDX-License-Identifier: Apache-2.0
// heed/attention.h needs no other header, in C99.
#include <heed/attention.h>

int main(void) { return heed_version() == NULL; }
