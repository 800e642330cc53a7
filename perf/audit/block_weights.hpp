// SPDX-License-Identifier: Apache-2.0
// The weights of a few rows, asked for in a call of their own: where those of the whole call are too many.
#pragma once

#include <vector>

#include "audit/call.hpp"

namespace heed::audit {

struct BlockWeights {
  std::vector<float> values;  // [1, group, rows, kv_len]; NaN where the path wrote nothing
  Dims strides{};
};

Status attend_block(const Call& call, Path path, const Block& block, BlockWeights& weights);

}  // namespace heed::audit
