// SPDX-License-Identifier: Apache-2.0
// Tuning numbers.
#include "plan/tile_shape.hpp"

#include <algorithm>

namespace heed {

TileShape choose_tile_shape(const KernelTable& kernels) {
  // The weights of a tile stay in L1 while every channel pass re-reads them: rows * keys * 4 bytes in
  // about half of 32 KiB. 24 rows (AVX2) give 192 keys at 18 KiB, 48 rows (AVX-512) 96 keys. Masked
  // tiles like many keys: 192 keys cost 3 to 5 % less than 96 with a pairwise mask.
  constexpr std::size_t weight_tile_floats = 192 * 24;
  const std::size_t keys = std::min<std::size_t>(192, weight_tile_floats / kernels.max_rows);
  return {kernels.max_rows, keys};
}

bool shares_key_tiles(const Problem& problem) {
  // Below 256 KiB, K and V of a head stay in a second-level cache of 512 KiB beside everything else, and
  // one row tile after the other reads them there.
  constexpr double bytes = 256.0 * 1024.0;
  return 4.0 * static_cast<double>(problem.kv_len) * static_cast<double>(problem.head_dim + problem.value_dim) > bytes;
}

RowPartition partition_rows(std::int64_t rows, const KernelTable& kernels, bool shares_key_tiles) {
  const auto lanes = static_cast<std::int64_t>(kernels.lanes);
  const auto large = static_cast<std::int64_t>(kernels.max_rows);
  RowPartition partition;
  partition.large_rows = large;
  std::int64_t large_tiles = rows / large;
  std::int64_t rest = rows % large;
  // A tile of one vector runs at half the speed of one of three. When the rest fits one vector, take
  // a large tile back and make two tiles of two vectors: 104 = 3 * 24 + 2 * 16, 197 = 7 * 24 + 16 + 13.
  if (rest > 0 && rest <= lanes && large_tiles > 0) {
    --large_tiles;
    rest += large;
    partition.small_rows = 2 * lanes;
  } else {
    partition.small_rows = rest;
  }
  constexpr auto group_tiles = static_cast<std::int64_t>(max_row_tiles);
  partition.group_rows = group_tiles * large;
  partition.group_jobs = shares_key_tiles ? large_tiles / group_tiles : 0;
  partition.large_jobs = large_tiles - partition.group_jobs * group_tiles;
  const std::int64_t small_jobs = rest == 0 ? 0 : (rest + partition.small_rows - 1) / partition.small_rows;
  partition.job_count = partition.group_jobs + partition.large_jobs + small_jobs;
  return partition;
}

std::size_t scratch_floats(const TileShape& tile, std::size_t row_tiles, const KernelTable& kernels,
                           const Problem& problem) {
  const auto head_dim = static_cast<std::size_t>(problem.head_dim);
  const auto value_dim = static_cast<std::size_t>(problem.value_dim);
  const std::size_t transposed_q = row_tiles * tile.rows * head_dim;
  const std::size_t transposed_out = row_tiles * tile.rows * value_dim;
  const std::size_t weights = tile.rows * tile.keys;
  const std::size_t score_terms = tile.rows * tile.keys;  // bias, slopes and hidden cells of a partial tile
  const std::size_t mask_rows = kernels.lanes * tile.keys;
  const std::size_t dense_keys = tile.keys * (head_dim + value_dim);  // copies where a channel stride is not 1
  return transposed_q + transposed_out + weights + score_terms + mask_rows + dense_keys;
}

}  // namespace heed
