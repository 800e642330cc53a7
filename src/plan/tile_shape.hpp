// SPDX-License-Identifier: Apache-2.0
// Rows and keys per tile, and the scratch they need; each number with its derivation in the .cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch/kernel_table.hpp"
#include "plan/problem.hpp"

namespace heed {

struct TileShape {
  std::size_t rows = 0;  // of the largest tile
  std::size_t keys = 0;
};
TileShape choose_tile_shape(const KernelTable& kernels);

// The rows of one batch item and KV head, shared out among tiles of whole vectors.
struct RowPartition {
  std::int64_t tile_count = 0;
  std::int64_t large_tiles = 0;  // the first ones: largest tile each
  std::int64_t large_rows = 0;
  std::int64_t small_rows = 0;  // lanes of each tile after them
};
RowPartition partition_rows(std::int64_t rows, const KernelTable& kernels);

// Floats of scratch that one thread's kernel needs.
std::size_t scratch_floats(const TileShape& tile, const KernelTable& kernels, const Problem& problem);

}  // namespace heed
