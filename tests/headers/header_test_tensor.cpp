// SPDX-License-Identifier: Apache-2.0
// heed/tensor.hpp needs no other header; its constructors are constants.
#include <heed/tensor.hpp>

static_assert(heed::bhnd_strides(3, 5, 7) == heed::Dims{105, 35, 7, 1});
static_assert(heed::bnhd_strides(3, 5, 7) == heed::Dims{105, 7, 21, 1});

int main() { return heed::Tensor{}.data != nullptr; }
