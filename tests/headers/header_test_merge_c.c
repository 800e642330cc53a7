// SPDX-License-Identifier: Apache-2.0
// heed/merge.h needs no other header, in C99.
#include <heed/merge.h>

int main(void) { return heed_merge(NULL, 0, NULL, NULL, NULL, 0) == HEED_OK; }
