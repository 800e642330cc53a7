// SPDX-License-Identifier: Apache-2.0
// Query scaling of a tile of rows: q times its factors, times a gate that is computed from q itself.
//
//   gate = 1 + tanh(w2 GELU(w1 q + b1) + b2)        out = q * factor * gate
//
// Rows lie in the lanes, as in attend(): the two products of the gate are those of a score tile, with rows of
// weights for keys.
#pragma once

#include "kernels/gelu.hpp"
#include "kernels/rows_tile.hpp"
#include "kernels/score_tile.hpp"

namespace heed {
namespace {

// Calls f(sums, first) with the products of each few rows of `weights` [count][channels] and the tile x
// [channel][row]; room: a vector for each row of weights and vector of the tile.
template <class Arch, std::size_t vectors, class Function>
HEED_INLINE void multiply_weights(const ScaleJob& scale, const float* x, std::size_t channels, const float* weights,
                                  std::size_t count, float* room, Function f) {
  constexpr std::size_t n = lanes<Arch>;
  TileJob job{};
  job.head_dim = channels;
  job.score_chain = scale.chain;
  for_each_piece<micro_keys<Arch, vectors>>(
      count, [&](auto rows, std::size_t first) __attribute__((always_inline)) {
        Floats<Arch> acc[rows][vectors];
        multiply_keys<Arch, vectors, rows, 0>(job, x, weights + first * channels, static_cast<std::ptrdiff_t>(channels),
                                              room + first * vectors * n, acc);
        repeat<rows>([&](auto row) { repeat<vectors>([&](auto r) { f(acc[row][r], first + row, r); }); });
      });
}

template <class Arch, std::size_t vectors>
[[gnu::flatten]] void scale_tile(const ScaleJob& job) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  constexpr std::size_t width = vectors * n;
  float* const q = job.scratch;
  float* const factors = q + job.head_dim * width;
  float* const hidden = factors + job.head_dim * width;
  const auto row = [&](std::size_t lane) -> const ScaleRow& {
    return job.rows[lane < job.row_count ? lane : job.row_count - 1];
  };
  load_rows<Arch, vectors>(
      job.head_dim, job.q_channel, 1.0f, [&](std::size_t lane) { return row(lane).q; }, q);
  load_rows<Arch, vectors>(
      job.head_dim, job.factor_channel, 1.0f, [&](std::size_t lane) { return row(lane).factors; }, factors);

  if (job.gates > 0)
    multiply_weights<Arch, vectors>(
        job, q, job.head_dim, job.w1, job.hidden,
        hidden, [&](F sum, std::size_t j, std::size_t r) __attribute__((always_inline)) {
          gelu<Arch>(sum + F(job.b1[j])).store_unaligned(hidden + (j * vectors + r) * n);
        });
  for (std::size_t i = 0; i < job.head_dim * vectors; ++i) {
    float* const place = q + i * n;
    (load<Arch>(place) * load<Arch>(factors + i * n)).store_unaligned(place);
  }
  if (job.gates > 0)
    multiply_weights<Arch, vectors>(
        job, hidden, job.hidden, job.w2, job.gates,
        factors, [&](F sum, std::size_t c, std::size_t r) __attribute__((always_inline)) {
          const F gate = F(1.0f) + tanh<Arch>(sum + F(job.b2[c]));
          // A gate of one output holds for all channels.
          const std::size_t end = job.gates == 1 ? job.head_dim : c + 1;
          for (std::size_t channel = c; channel < end; ++channel) {
            float* const place = q + (channel * vectors + r) * n;
            (load<Arch>(place) * gate).store_unaligned(place);
          }
        });
  for (std::size_t r = 0; r < vectors; ++r)
    store_rows<Arch, vectors>(
        job.head_dim, job.out_channel, r, job.row_count, [&](std::size_t lane) { return job.rows[lane].out; },
        [&](std::size_t vector) { return load<Arch>(q + vector * n); });
}

template <class Arch>
void scale_queries(const ScaleJob& job) noexcept {
  constexpr std::size_t n = lanes<Arch>;
  if (job.row_count <= n) return scale_tile<Arch, 1>(job);
  if (job.row_count <= 2 * n) return scale_tile<Arch, 2>(job);
  scale_tile<Arch, max_vectors>(job);
}

}  // namespace
}  // namespace heed
