// SPDX-License-Identifier: Apache-2.0
// heed/query_scaling.h needs no other header, in C99.
#include <heed/query_scaling.h>

int main(void) { return heed_scale_queries(NULL, NULL, NULL, 0, NULL, NULL, 0) == 0; }
