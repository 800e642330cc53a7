// SPDX-License-Identifier: Apache-2.0
// Each tensor in a buffer of its own, apart from the others modulo 4 KiB.
#include "pieces/tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/tile_shape.hpp"
#include "random_numbers.hpp"

namespace heed::perf {
namespace {

Buffer floats(std::size_t count, std::size_t number) { return Buffer(sizeof(float) * count, 256 * number); }

float* data_of(const Buffer& buffer) { return reinterpret_cast<float*>(buffer.data()); }

template <class Draw>
void fill(const Buffer& buffer, Draw draw) {
  std::generate_n(data_of(buffer), buffer.size_bytes() / sizeof(float), draw);
}

}  // namespace

TileSizes tile_sizes(const KernelTable& kernels, std::size_t rows, std::size_t keys, std::size_t head_dim) {
  Problem problem;
  problem.kv_len = 4096;
  problem.head_dim = problem.value_dim = static_cast<std::int64_t>(head_dim);
  const TileShape shape = choose_tile_shape(kernels, problem);
  const std::size_t whole_rows = (rows + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  return {.rows = rows == 0 ? shape.rows : whole_rows,
          .keys = keys == 0 ? shape.keys : keys,
          .head_dim = head_dim,
          .value_dim = head_dim,
          .score_chain = shape.score_chain,
          .value_chain = shape.value_chain};
}

Tile::Tile(const TileSizes& sizes, std::uint64_t seed)
    : q_(floats(sizes.rows * sizes.head_dim, 0)),
      k_(floats(sizes.keys * sizes.head_dim, 1)),
      v_(floats(sizes.keys * sizes.value_dim, 2)),
      scores_(floats(sizes.rows * sizes.keys, 3)),
      weights_(floats(sizes.rows * sizes.keys, 4)),
      state_(floats(4 * sizes.rows, 5)),
      out_(floats(2 * sizes.rows * sizes.value_dim, 6)) {
  Random random(seed);
  const float scale = 1.0f / std::sqrt(static_cast<float>(sizes.head_dim));
  fill(q_, [&] { return scale * random.normal(); });
  for (const Buffer* buffer : {&k_, &v_, &scores_}) fill(*buffer, [&] { return random.normal(); });
  fill(weights_, [&] { return static_cast<float>(random.uniform()); });
  for (const Buffer* buffer : {&state_, &out_}) fill(*buffer, [] { return std::numeric_limits<float>::quiet_NaN(); });
  part = {.rows = sizes.rows,
          .keys = sizes.keys,
          .head_dim = sizes.head_dim,
          .value_dim = sizes.value_dim,
          .score_chain = sizes.score_chain,
          .value_chain = sizes.value_chain,
          .q = data_of(q_),
          .k = data_of(k_),
          .v = data_of(v_),
          .k_token = static_cast<std::ptrdiff_t>(sizes.head_dim),
          .v_token = static_cast<std::ptrdiff_t>(sizes.value_dim),
          .scores = data_of(scores_),
          .weights = data_of(weights_),
          .state = data_of(state_),
          .out = data_of(out_),
          .tiles_before = 0};
}

}  // namespace heed::perf
