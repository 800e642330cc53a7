// SPDX-License-Identifier: Apache-2.0
// See block_weights.hpp.
#include "audit/block_weights.hpp"

#include <limits>

namespace heed::audit {

Status attend_block(const Call& call, Path path, const Block& block, BlockWeights& weights) {
  CallView part = call.block(block);
  const Sizes& sizes = call.sizes();
  constexpr float unwritten = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(static_cast<std::size_t>(sizes.group * block.rows * sizes.value_dim), unwritten);
  weights.values.assign(static_cast<std::size_t>(sizes.group * block.rows * sizes.kv_len), unwritten);
  weights.strides = bhnd_strides(sizes.group, block.rows, sizes.kv_len);
  part.options.path = path;
  part.options.weights = Tensor{weights.values.data(), part.weights_shape, weights.strides};
  return attention(part.q, part.k, part.v, bhnd(out.data(), 1, sizes.group, block.rows, sizes.value_dim), part.options);
}

}  // namespace heed::audit
