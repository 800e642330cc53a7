// SPDX-License-Identifier: Apache-2.0
// Tuning numbers.
#include "plan/tile_shape.hpp"

#include <algorithm>

namespace heed {

namespace {

// The weights of a tile stay in L1 while every channel pass re-reads them: rows * keys * 4 bytes in
// about half of 48 KiB, two thirds of 32 KiB. 24 rows (AVX2) give 224 keys, 48 rows (AVX-512) 112.
std::size_t largest_key_tile(const KernelTable& kernels) {
  constexpr std::size_t most_keys = 224;
  constexpr std::size_t weight_floats = most_keys * 24;
  return std::min(most_keys, weight_floats / kernels.max_rows);
}

// Where few keys share a row's weight, the roundings of its largest scores and values show. Standard normal
// inputs, 100 to 1100 keys, rows off by 1e-6: 1 in 7000 with whole scores and all keys of a tile in one chain,
// 1 in 200,000 with chains of 32 channels, 7 in 68 million (up to 1.23e-6) with those below and a row sum
// whose chains are those of the values. They take 3 to 8 % of the time up to 600 keys; long rows don't need them, and
// rows of fewer than 100 keys, which no chain keeps below 1e-6, do without.
//
// Shorter chains alone don't end it: a score beyond 8 is rounded by up to 4.8e-7. Scores rounded once, and all else
// in double, would: 2.9e-7 at worst in 32 million rows (head_dim 16).
constexpr std::int64_t very_few_keys = 100, few_keys = 160, many_keys = 1024;

std::size_t score_chain(const Problem& problem) {
  if (problem.kv_len < very_few_keys || problem.kv_len >= many_keys) return 32;
  return problem.head_dim > 16 ? 16 : 8;
}

std::size_t value_chain(const Problem& problem, const KernelTable& kernels) {
  if (problem.kv_len < very_few_keys) return 32;
  if (problem.kv_len < few_keys) return 16;
  return problem.kv_len < many_keys ? 32 : largest_key_tile(kernels);
}

// Keys of a tile of few rows: values of a tile lie in L1 when they are read, having been asked for while its
// keys were multiplied.
constexpr std::size_t few_rows_most_keys = 128;

// See make_few_workspace(). A tile shorter than a vector is copied, whatever its strides.
std::size_t few_rows_floats(const KernelTable& kernels, const Problem& problem) {
  const auto whole = [&](std::int64_t count) {
    const std::size_t vectors = (static_cast<std::size_t>(count) + kernels.lanes - 1) / kernels.lanes;
    return std::max<std::size_t>(vectors, 1) * kernels.lanes;
  };
  const std::size_t head_width = whole(problem.head_dim), value_width = whole(problem.value_dim);
  const std::size_t row = head_width + 2 * value_width + 2 * (few_rows_most_keys + kernels.lanes);
  return max_few_rows * row + few_rows_most_keys * (head_width + value_width);
}

}  // namespace

TileShape choose_tile_shape(const KernelTable& kernels, const Problem& problem) {
  // Even tiles: 197 keys as 197, not as 192 and a tile of 5 that pays for a whole one's loads and
  // stores. Whole squares of the widest vector, so that masks can be turned in place.
  constexpr std::int64_t square = 16;
  // The channel passes of the value product come back to every line of the tile's values: with 28 KiB of
  // them in L1 it runs at 92 % of the FMA peak at value_dim 64, with 48 KiB at 85 %. Fewer than 64 keys
  // would not pay for a tile's loads and stores.
  constexpr std::int64_t value_floats = 28 * 1024 / 4;
  const std::int64_t in_cache =
      std::max<std::int64_t>(64, value_floats / std::max<std::int64_t>(problem.stored_value_dim(), 1));
  const std::int64_t most = std::min(static_cast<std::int64_t>(largest_key_tile(kernels)), in_cache);
  const std::int64_t tiles = std::max<std::int64_t>(1, (problem.kv_len + most - 1) / most);
  const std::int64_t keys = (problem.kv_len + tiles - 1) / tiles;
  return {.rows = kernels.max_rows,
          .keys = static_cast<std::size_t>(std::max(square, (keys + square - 1) / square * square)),
          .score_chain = score_chain(problem),
          .value_chain = value_chain(problem, kernels)};
}

// In a row tile of AVX2 5 of 8 lanes idle with 3 rows. Against it, one thread, warm: 1 row 4.0 times as fast
// (d = 96), 4 rows 1.26 to 1.4, 7 rows 1.1, 8 rows 1.0 to 1.1. Its lanes hold channels of values: no classes.
bool has_few_rows(const Problem& problem) {
  constexpr std::int64_t most_rows = 8;
  return !problem.has_classes && problem.group * problem.q_len <= most_rows;
}

TileShape choose_few_rows_shape(const Problem& problem) {
  constexpr std::int64_t square = 16;
  constexpr std::int64_t value_floats = 16 * 1024 / 4;
  const std::int64_t in_cache = std::max<std::int64_t>(32, value_floats / std::max<std::int64_t>(problem.value_dim, 1));
  const auto chain = static_cast<std::int64_t>(problem.kv_len < few_keys    ? 32
                                               : problem.kv_len < many_keys ? 64
                                                                            : few_rows_most_keys);
  const std::int64_t most = std::min(chain, in_cache);
  const std::int64_t tiles = std::max<std::int64_t>(1, (problem.kv_len + most - 1) / most);
  const std::int64_t keys = (problem.kv_len + tiles - 1) / tiles;
  return {.rows = max_few_rows,
          .keys = static_cast<std::size_t>(std::max(square, (keys + square - 1) / square * square))};
}

RowPartition partition_few_rows(const Problem& problem) {
  const Visibility& visibility = problem.visibility;
  const bool shares_keys = problem.k.strides[0] == 0 && problem.v.strides[0] == 0 &&
                           (visibility.key_mask == nullptr || visibility.key_mask_batch == 0);
  const std::int64_t rows = problem.group * problem.q_len;
  const std::int64_t items = shares_keys ? std::min(problem.batch, static_cast<std::int64_t>(max_few_rows) / rows) : 1;
  return {.batch_items = items, .job_count = 1, .small_rows = rows * items};
}

bool shares_key_tiles(const Problem& problem) {
  // Below 256 KiB, K and V of a head stay in a second-level cache of 512 KiB beside everything else, and
  // one row tile after the other reads them there.
  constexpr double bytes = 256.0 * 1024.0;
  return 4.0 * static_cast<double>(problem.kv_len) *
             static_cast<double>(problem.head_dim + problem.stored_value_dim()) >
         bytes;
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

std::size_t scratch_floats(const KernelTable& kernels, const Problem& problem) {
  const auto head_dim = static_cast<std::size_t>(problem.head_dim);
  const auto value_dim = static_cast<std::size_t>(problem.value_dim);
  const std::size_t rows = kernels.max_rows;
  const std::size_t keys = largest_key_tile(kernels);  // not the call's: scratch does not change with kv_len
  const std::size_t transposed = max_row_tiles * rows * (head_dim + 2 * value_dim);
  const std::size_t weights = rows * keys;
  const std::size_t terms = rows * keys;  // bias, slopes and hidden cells of a partial tile
  const std::size_t mask_rows = kernels.lanes * keys;
  const bool copies_keys = problem.k.strides[3] != 1 && problem.head_dim > 1;
  const bool copies_values = problem.v.strides[3] != 1 && problem.value_dim > 1;
  // make_workspace() puts the values behind room for the keys, copied or not.
  const std::size_t copies = keys * (copies_values ? head_dim + value_dim : copies_keys ? head_dim : 0);
  return std::max(transposed + weights + terms + mask_rows + copies, few_rows_floats(kernels, problem));
}

}  // namespace heed
