// SPDX-License-Identifier: Apache-2.0
// heed/classes.h needs no other header, in C99.
#include <heed/classes.h>

int main(void) { return heed_attention_classes(NULL, NULL, NULL, NULL, NULL, NULL, 0) == 0; }
