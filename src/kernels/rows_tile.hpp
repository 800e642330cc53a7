// SPDX-License-Identifier: Apache-2.0
// Rows in and out of the lanes: queries transposed and scaled on the way in, results divided by their
// row sums and transposed on the way out.
#pragma once

#include "kernels/softmax_tile.hpp"

namespace heed {
namespace {

// to[channel][row] = scale * row; from(lane) is a row's channel 0.
template <class Arch, std::size_t vectors, class Place>
HEED_INLINE void load_rows(std::size_t channels, std::ptrdiff_t stride, float scale, Place from, float* to) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t r = 0; r < vectors; ++r) {
    const float* rows[n];
    for (std::size_t lane = 0; lane < n; ++lane) rows[lane] = from(r * n + lane);
    std::size_t c = 0;
    if (stride == 1)
      for (; c + n <= channels; c += n) {
        F square[n];
        repeat<n>([&](auto lane) { square[lane] = load<Arch>(rows[lane] + c); });
        transpose<Arch>(square);
        repeat<n>([&](auto k) { (square[k] * F(scale)).store_unaligned(to + ((c + k) * vectors + r) * n); });
      }
    for (; c < channels; ++c)
      for (std::size_t lane = 0; lane < n; ++lane)
        to[(c * vectors + r) * n + lane] = scale * rows[lane][static_cast<std::ptrdiff_t>(c) * stride];
  }
}

// Only the scale is folded into the queries: log2(e) as well would break large scores by 1e-3 and turn a
// finite bias of -FLT_MAX into minus infinity.
template <class Arch, std::size_t vectors>
[[gnu::flatten]] void load_queries(const TileJob& job, const RowTile& rows, const Workspace& space) {
  load_rows<Arch, vectors>(
      job.head_dim, job.q_channel, job.scale, [&](std::size_t lane) { return lane_row(rows, lane).q; }, space.q);
}

// Writes `count` cells of up to `row_count` rows from [cell][row] squares: to(row) is the place of cell 0,
// read(vector number) the cells of a vector of rows.
template <class Arch, std::size_t vectors, class Place, class Read>
HEED_INLINE void store_rows(std::size_t count, std::ptrdiff_t stride, std::size_t r, std::size_t row_count, Place to,
                            Read read) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  const std::size_t first_row = r * n;
  const std::size_t rows = row_count <= first_row ? 0 : row_count - first_row < n ? row_count - first_row : n;
  std::size_t c = 0;
  if (stride == 1)
    for (; c + n <= count; c += n) {
      F square[n];
      repeat<n>([&](auto k) { square[k] = read((c + k) * vectors + r); });
      transpose<Arch>(square);
      repeat<n>([&](auto lane) {
        if (lane < rows) square[lane].store_unaligned(to(first_row + lane) + c);
      });
    }
  for (; c < count; ++c) {
    float column[n];
    read(c * vectors + r).store_unaligned(column);
    for (std::size_t lane = 0; lane < rows; ++lane)
      to(first_row + lane)[static_cast<std::ptrdiff_t>(c) * stride] = column[lane];
  }
}

// What unscaled results and weights are multiplied by; 0 where the row sees nothing.
template <class Arch>
HEED_INLINE Floats<Arch> inverse_sum(const TileJob& job, Floats<Arch> sum) {
  using F = Floats<Arch>;
  if (job.is_part) return F(1.0f);
  return xsimd::select(sum == F(0.0f), F(0.0f), divide<Arch>(F(1.0f), sum));
}

// What a job leaves of a row beside out and weights: lse, or its softmax so far.
inline void store_softmax(const TileJob& job, float* lse, float reference, double sum) {
  if (job.is_part) {
    lse[0] = reference;
    lse[1] = static_cast<float>(sum);
  } else {
    *lse = sum == 0.0 ? -infinity : static_cast<float>(static_cast<double>(reference) + __builtin_log(sum));
  }
}

// out and lse of every row. Answers whether all of them, and the row sums, are finite.
template <class Arch, std::size_t vectors>
[[gnu::flatten]] bool store_results(const TileJob& job, const RowTile& rows, const Workspace& space,
                                    const SoftmaxState<Arch, vectors>& state) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  bool is_finite = true;
  for (std::size_t r = 0; r < vectors; ++r) {
    const F sum = state.sum[r];
    const F inverse = inverse_sum<Arch>(job, sum);
    F doubt = sum * F(0.0f);  // becomes NaN with the first NaN or infinity
    store_rows<Arch, vectors>(
        job.value_dim, job.out_channel, r, rows.row_count, [&](std::size_t row) { return rows.rows[row].out; },
        [&](std::size_t vector) {
          const float* const place = space.out + vector * n;
          F total = load<Arch>(place);
          if (state.tiles > 1) total = total - load<Arch>(place + job.value_dim * vectors * n);
          const F result = fma<Arch>(total, inverse, F(0.0f));  // + 0: never a negative zero, so that adding
          doubt = fma<Arch>(result, F(0.0f), doubt);            // hidden keys cannot show in its sign
          return result;
        });
    is_finite &= xsimd::all(doubt == doubt);  // lanes past the end repeat the last row
    if (rows.rows[0].lse == nullptr) continue;
    float sums[n], losses[n], references[n];
    sum.store_unaligned(sums);
    state.lost[r].store_unaligned(losses);
    state.reference[r].store_unaligned(references);
    for (std::size_t lane = 0; lane < n && r * n + lane < rows.row_count; ++lane)
      store_softmax(job, rows.rows[r * n + lane].lse, references[lane],
                    static_cast<double>(sums[lane]) - static_cast<double>(losses[lane]));
  }
  return is_finite;
}

}  // namespace
}  // namespace heed
