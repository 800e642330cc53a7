// SPDX-License-Identifier: Apache-2.0
// One key tile of one row tile, as the pieces of a kernel take it, with tensors drawn by a seed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch/kernel_table.hpp"
#include "workload.hpp"

namespace heed::perf {

struct TileSizes {
  std::size_t rows = 0, keys = 0, head_dim = 0, value_dim = 0;
  std::size_t score_chain = 0, value_chain = 0;
};

// The shape of a long call's tiles on these kernels, with value_dim = head_dim. Rows are filled up to whole vectors;
// rows or keys 0: as the library chooses.
TileSizes tile_sizes(const KernelTable& kernels, std::size_t rows, std::size_t keys, std::size_t head_dim);

// q, k, v and scores are standard normal, q scaled by the root of head_dim; weights lie between 0 and 1, as if
// softmax had come before. What a first tile only writes, state and out, is NaN.
class Tile {
 public:
  Tile(const TileSizes& sizes, std::uint64_t seed);
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  TilePart part{};
  std::size_t cells() const { return part.rows * part.keys; }  // of scores and weights

 private:
  Buffer q_, k_, v_, scores_, weights_, state_, out_;
};

}  // namespace heed::perf
