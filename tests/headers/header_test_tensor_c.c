// SPDX-License-Identifier: Apache-2.0
// heed/tensor.h needs no other header, in C99.
#include <heed/tensor.h>

int main(void) { return heed_tensor_bhnd(0, 1, 2, 3, 4).strides[1] != 12; }
