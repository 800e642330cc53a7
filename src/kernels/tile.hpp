// SPDX-License-Identifier: Apache-2.0
// What the parts of a tile share: how many registers they may fill, where their scratch lies, and the
// keys that one turn of the loop works on.
#pragma once

#include "dispatch/kernel_table.hpp"
#include "kernels/lanes.hpp"

namespace heed {
namespace {

inline constexpr std::size_t max_vectors = 3;  // row vectors of the largest tile

// Accumulators that fit beside the operands of a micro-tile: 12 of 16 registers (3 row vectors and one
// broadcast remain), 24 of 32. One more and both compilers spill inside the loop: 38 to 60 % of the peak.
template <class Arch>
inline constexpr std::size_t accumulators = lanes<Arch> >= 16 || std::is_base_of_v<xsimd::neon64, Arch> ? 24 : 12;

// Keys (scores) and channels (values) of a micro-tile with this many row vectors. 3 x 4 needs 19
// instructions for 12 FMA, 2 x 6 needs 20, 1 x 12 needs 25.
template <class Arch, std::size_t vectors>
inline constexpr std::size_t micro_keys = accumulators<Arch> / vectors < 16 ? accumulators<Arch> / vectors : 16;
template <class Arch, std::size_t vectors>
inline constexpr std::size_t micro_channels = micro_keys<Arch, vectors>;

// A thread's scratch, in the order of scratch_floats() in plan/tile_shape.cpp. [x][row] means that the
// rows of the tile lie side by side, one per lane.
struct Workspace {
  float* q;           // [channel][row], scaled
  float* out;         // [channel][row], not yet divided by the row sum
  float* weights;     // [key][row]
  float* terms;       // [key][row], what is added to a score: bias, slopes, -inf where hidden
  float* dense_rows;  // [row][key], bias and mask of one vector of rows
  float* dense_k;     // [key][channel], copies where a channel stride is not 1
  float* dense_v;
};

inline Workspace make_workspace(const TileJob& job, std::size_t lane_count) {
  const std::size_t rows = max_vectors * lane_count;
  Workspace space;
  space.q = job.scratch;
  space.out = space.q + rows * job.head_dim;
  space.weights = space.out + rows * job.value_dim;
  space.terms = space.weights + rows * job.keys_per_tile;
  space.dense_rows = space.terms + rows * job.keys_per_tile;
  space.dense_k = space.dense_rows + lane_count * job.keys_per_tile;
  space.dense_v = space.dense_k + job.keys_per_tile * job.head_dim;
  return space;
}

struct KeyTile {
  std::int64_t first;  // key number
  std::size_t keys;
  const float* k;      // channels of a token lie side by side
  const float* v;
  std::ptrdiff_t k_token, v_token;
  const float* terms;  // null: every key visible to every row, nothing to add
};

// Calls f(micro size, first) for pieces of at most `largest` that cover count: whole ones, then 8, 4, 2, 1.
template <std::size_t largest, class Function>
HEED_INLINE void for_each_piece(std::size_t count, Function f) {
  std::size_t done = 0;
  for (; done + largest <= count; done += largest) f(std::integral_constant<std::size_t, largest>{}, done);
  const auto rest = [&](auto size) {
    if constexpr (size < largest)
      for (; done + size <= count; done += size) f(size, done);
  };
  rest(std::integral_constant<std::size_t, 8>{});
  rest(std::integral_constant<std::size_t, 4>{});
  rest(std::integral_constant<std::size_t, 2>{});
  rest(std::integral_constant<std::size_t, 1>{});
}

}  // namespace
}  // namespace heed
