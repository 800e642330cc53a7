// SPDX-License-Identifier: Apache-2.0
// heed/classes.hpp needs no other header.
#include <heed/classes.hpp>

static_assert(heed::class_indices(nullptr, 2, 3).strides[0] == 3);

int main() { return heed::attention_classes({}, {}, {}, {}).ok() ? 1 : 0; }
