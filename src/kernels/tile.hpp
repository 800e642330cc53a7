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
  float* q;           // [channel][row], scaled; one block for each row tile
  float* out;         // [channel][row], not yet divided by the row sum; likewise, and behind it in the same
                      // shape what rounding took from it so far
  float* weights;     // [key][row]
  float* terms;       // [key][row], what is added to a score: bias, slopes, -inf where hidden
  float* dense_rows;  // [row][key], bias and mask of one vector of rows
  float* dense_k;     // [key][channel], copies where a channel stride is not 1
  float* dense_v;
};

inline Workspace make_workspace(const TileJob& job, std::size_t lane_count, std::size_t row_tile) {
  const std::size_t rows = max_vectors * lane_count;
  const std::size_t row_tiles = (job.row_count + rows - 1) / rows;
  Workspace space;
  space.q = job.scratch + row_tile * rows * job.head_dim;
  space.out = job.scratch + row_tiles * rows * job.head_dim + row_tile * rows * 2 * job.value_dim;
  space.weights = job.scratch + row_tiles * rows * (job.head_dim + 2 * job.value_dim);
  space.terms = space.weights + rows * job.keys_per_tile;
  space.dense_rows = space.terms + rows * job.keys_per_tile;
  space.dense_k = space.dense_rows + lane_count * job.keys_per_tile;
  space.dense_v = space.dense_k + job.keys_per_tile * job.head_dim;
  return space;
}

// The rows of one row tile, and the keys that they may see: nothing outside the hull
// [keys_begin, keys_end) is read, and [full_begin, full_end) lies in the span of every row.
struct RowTile {
  const TileRow* rows;
  std::size_t row_count;
  std::int64_t keys_begin, keys_end, full_begin, full_end;
};

inline RowTile make_row_tile(const TileJob& job, std::size_t first, std::size_t row_count) {
  const TileRow* const rows = job.rows + first;
  if (!job.has_row_spans) return {rows, row_count, rows->span_begin, rows->span_end, rows->span_begin, rows->span_end};
  RowTile tile{rows, row_count, 0, 0, rows->span_begin, rows->span_end};
  for (std::size_t row = 0; row < row_count; ++row) {
    const std::int64_t begin = rows[row].span_begin;
    const std::int64_t end = rows[row].span_end;
    if (begin > tile.full_begin) tile.full_begin = begin;
    if (end < tile.full_end) tile.full_end = end;
    if (begin >= end) continue;
    const bool is_first = tile.keys_begin >= tile.keys_end;
    if (is_first || begin < tile.keys_begin) tile.keys_begin = begin;
    if (is_first || end > tile.keys_end) tile.keys_end = end;
  }
  return tile;
}

inline const TileRow& lane_row(const RowTile& tile, std::size_t lane) {
  return tile.rows[lane < tile.row_count ? lane : tile.row_count - 1];  // lanes past the end repeat the last row
}

struct KeyTile {
  std::int64_t first;  // key number
  std::size_t keys;
  const float* k;  // channels of a token lie side by side
  const float* v;
  std::ptrdiff_t k_token, v_token;
  const float* terms;  // null: every key visible to every row, nothing to add
};

// Channels of a row filled up to a multiple; at least one of them, zeros if need be.
template <std::size_t multiple>
std::size_t width_of(std::size_t dim) {
  return multiple == 1 ? dim : dim == 0 ? multiple : (dim + multiple - 1) / multiple * multiple;
}
template <std::size_t multiple>
bool is_filled_up(std::size_t dim) {
  return width_of<multiple>(dim) != dim;
}

// Keys [first, first + keys) where a kernel can read them: in place, or copied side by side where a channel
// stride is not 1, the channels are no multiple of `multiple`, or k would be read beyond its end, being fewer
// keys than `multiple`; a copy is filled up with zeros.
template <std::size_t multiple>
KeyTile open_tile(const TileJob& job, float* dense_k, float* dense_v, std::int64_t first, std::size_t keys) {
  KeyTile tile{first,       keys,   job.k + first * job.k_token, job.v + first * job.v_token, job.k_token,
               job.v_token, nullptr};
  const auto copy = [keys](const float* from, std::ptrdiff_t token, std::ptrdiff_t channel, std::size_t dim,
                           std::size_t width, float* to) {
    for (std::size_t key = 0; key < keys; ++key)
      for (std::size_t c = 0; c < width; ++c)
        to[key * width + c] =
            c < dim ? from[static_cast<std::ptrdiff_t>(key) * token + static_cast<std::ptrdiff_t>(c) * channel] : 0.0f;
  };
  if (job.k_channel != 1 || is_filled_up<multiple>(job.head_dim) || keys < multiple) {
    copy(tile.k, job.k_token, job.k_channel, job.head_dim, width_of<multiple>(job.head_dim), dense_k);
    tile.k = dense_k;
    tile.k_token = static_cast<std::ptrdiff_t>(width_of<multiple>(job.head_dim));
  }
  if (job.v_channel != 1 || is_filled_up<multiple>(job.value_dim)) {
    copy(tile.v, job.v_token, job.v_channel, job.value_dim, width_of<multiple>(job.value_dim), dense_v);
    tile.v = dense_v;
    tile.v_token = static_cast<std::ptrdiff_t>(width_of<multiple>(job.value_dim));
  }
  return tile;
}

// Calls f with the bounds of each key tile of a hull. Tiles begin at multiples of their size, so that a
// row meets the same tiles whatever hides the keys before its first.
template <class Function>
void for_each_key_tile(const TileJob& job, std::int64_t begin, std::int64_t end, Function f) {
  const auto step = static_cast<std::int64_t>(job.keys_per_tile);
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t boundary = (first / step + 1) * step;
    const std::int64_t last = boundary < end ? boundary : end;
    f(first, last);
    first = last;
  }
}

// A row's weights for the keys of the job that none of its rows may see.
inline void clear_weights(const TileJob& job, const RowTile& rows, float* weights) {
  const auto clear = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t key = begin; key < end; ++key) weights[key * job.weights_key] = 0.0f;
  };
  if (rows.keys_begin >= rows.keys_end) return clear(job.keys_begin, job.keys_end);
  clear(job.keys_begin, rows.keys_begin);
  clear(rows.keys_end, job.keys_end);
}

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
