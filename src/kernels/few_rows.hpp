// SPDX-License-Identifier: Apache-2.0
// Few rows: in a row tile most lanes would be idle. Here lanes hold channels while keys are multiplied, keys
// while they are weighed, and channels again while values are added up. Each line of K and V comes from
// memory once for all rows. A row's arithmetic is the same whatever other rows the job has.
#pragma once

#include "kernels/few_rows_weights.hpp"

namespace heed {
namespace {

// Adds channels [first, first + vectors * lanes) of the tile's values to those of rows [row, row + rows).
template <class Arch, std::size_t rows, std::size_t vectors, bool careful>
HEED_INLINE void add_row_values(const FewWorkspace& space, const KeyTile& tile, std::size_t row, std::size_t first,
                                std::size_t tiles_before) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  F acc[rows][vectors];
  repeat<rows>([&](auto r) { repeat<vectors>([&](auto c) { acc[r][c] = F(0.0f); }); });
  const float* weights = space.weights + row * space.row_cells + space.template first_cell<Arch>(tile);
  const float* v = tile.v + first;
  for (std::size_t key = 0; key < tile.keys; ++key, v += tile.v_token) {
    F value[vectors];
    repeat<vectors>([&](auto c) { value[c] = load<Arch>(v + c * n); });
    repeat<rows>([&](auto r) {
      const F weight(weights[r * space.row_cells + key]);
      repeat<vectors>([&](auto c) {
        const F sum = fma<Arch>(weight, value[c], acc[r][c]);
        if constexpr (careful)
          acc[r][c] = xsimd::select(weight == F(hidden_weight), acc[r][c], sum);
        else
          acc[r][c] = sum;
      });
    });
  }
  repeat<rows>([&](auto r) {
    repeat<vectors>([&](auto c) {
      float* const sum = space.out + (row + r) * 2 * space.value_width + first + c * n;
      float* const lost = sum + space.value_width;
      if (tiles_before == 0)
        acc[r][c].store_unaligned(sum);
      else
        add_to_sum<Arch, careful>(acc[r][c], tiles_before > 1, sum, lost);
    });
  });
}

// 4 rows x 3 vectors fill the accumulators of 16 registers; fewer rows take more vectors.
template <class Arch, bool careful>
[[gnu::flatten]] void read_row_values(const TileJob& job, const FewWorkspace& space, const KeyTile& tile,
                                      std::size_t tiles_before) {
  constexpr std::size_t n = lanes<Arch>;
  for_each_piece<4>(
      job.row_count, [&](auto rows, std::size_t row) __attribute__((always_inline)) {
        for_each_piece<accumulators<Arch> / rows>(
            space.value_width / n, [&](auto vectors, std::size_t vector) __attribute__((always_inline)) {
              add_row_values<Arch, rows, vectors, careful>(space, tile, row, vector * n, tiles_before);
            });
      });
}

// out, and lse or what a part leaves. Answers whether all of them are finite.
template <class Arch>
[[gnu::flatten]] bool store_few_rows(const TileJob& job, const FewWorkspace& space, const RowState<Arch>* states,
                                     std::size_t tiles) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  bool is_finite = true;
  for (std::size_t r = 0; r < job.row_count; ++r) {
    const TileRow& row = job.rows[r];
    float* const sums = space.out + r * 2 * space.value_width;
    const double total = states[r].total();
    const F inverse = inverse_sum<Arch>(job, F(static_cast<float>(total)));
    F doubt = F(static_cast<float>(total)) * F(0.0f);  // becomes NaN with the first NaN or infinity
    for (std::size_t c = 0; c < space.value_width; c += n) {
      F sum = tiles == 0 ? F(0.0f) : load<Arch>(sums + c);
      if (tiles > 1) sum = sum - load<Arch>(sums + space.value_width + c);
      const F result = fma<Arch>(sum, inverse, F(0.0f));  // + 0: never a negative zero
      doubt = fma<Arch>(result, F(0.0f), doubt);
      if (job.out_channel == 1 && c + n <= job.value_dim)
        result.store_unaligned(row.out + c);
      else
        result.store_unaligned(sums + c);
    }
    if (job.out_channel != 1 || job.value_dim % n != 0) {
      const std::size_t stored = job.out_channel == 1 ? job.value_dim / n * n : 0;
      for (std::size_t c = stored; c < job.value_dim; ++c)
        row.out[static_cast<std::ptrdiff_t>(c) * job.out_channel] = sums[c];
    }
    is_finite &= xsimd::all(doubt == doubt);
    if (row.lse != nullptr) store_softmax(job, row.lse, states[r].reference, total);
  }
  return is_finite;
}

// Not careful first, as the row tiles are (attention_tile.hpp). Answers whether all results are finite.
template <class Arch, bool careful>
bool attend_few_once(const TileJob& job) {
  const FewWorkspace space = make_few_workspace<Arch>(job);
  const RowTile rows = make_row_tile(job, 0, job.row_count);
  RowState<Arch> states[max_few_rows];
  load_few_rows<Arch>(job, space);
  for (std::size_t r = 0; r < job.row_count; ++r) states[r].start(job.has_sinks ? job.rows[r].sink : -infinity);
  std::size_t tiles = 0;
  for_each_key_tile(job, rows.keys_begin, rows.keys_end, [&](std::int64_t first, std::int64_t last) {
    const KeyTile tile = open_few_tile<Arch>(job, rows, space, first, static_cast<std::size_t>(last - first));
    multiply_rows<Arch>(job, space, tile);
    for (std::size_t r = 0; r < job.row_count; ++r) weigh_row<Arch>(job, space, tile, r, careful, tiles, states[r]);
    read_row_values<Arch, careful>(job, space, tile, tiles++);
  });
  const bool is_finite = store_few_rows<Arch>(job, space, states, tiles);
  if (job.rows[0].weights != nullptr && (is_finite || careful)) store_few_weights<Arch>(job, rows, space, states);
  return is_finite;
}

template <class Arch>
void attend_few(const TileJob& job) noexcept {
  if (!attend_few_once<Arch, false>(job)) attend_few_once<Arch, true>(job);
}

}  // namespace
}  // namespace heed
