// SPDX-License-Identifier: Apache-2.0
// heed/tensor.h as C++11 users see it: the same names, with C linkage.
#include <heed/tensor.h>

int main() { return heed_tensor_bnhd(nullptr, 1, 2, 3, 4).strides[1] != 4; }
