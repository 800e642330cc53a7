// SPDX-License-Identifier: Apache-2.0
// The value product of a key tile: out[channel][row] += sum over keys of v[key][channel] * weight[key][row].
#pragma once

#include "kernels/softmax_tile.hpp"

namespace heed {
namespace {

// Channels [first, first + channels) stay in registers over a chain of keys. `careful`: a hidden
// key adds nothing even if its value is NaN or infinite, which a weight of 0 would not ensure.
template <class Arch, std::size_t vectors, std::size_t channels, bool careful>
HEED_INLINE void add_values(const TileJob& job, const KeyTile& tile, const float* weights, std::size_t first,
                            Floats<Arch> (&acc)[channels][vectors]) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  float partial[channels * vectors * n];
  const auto each = [&](auto f) __attribute__((always_inline)) {
    repeat<channels>([&](auto c) { repeat<vectors>([&](auto r) { f(acc[c][r], partial + (c * vectors + r) * n); }); });
  };
  const float* v = tile.v + first;
  for (std::size_t key = 0;;) {
    each([](auto& sum, float*) { sum = F(0.0f); });
    const std::size_t end = tile.keys - key > job.value_chain ? key + job.value_chain : tile.keys;
    const bool is_first = key == 0;
    for (; key < end; ++key, v += tile.v_token, weights += vectors * n) {
      F weight[vectors];
      repeat<vectors>([&](auto r) { weight[r] = load<Arch>(weights + r * n); });
      repeat<channels>([&](auto c) {
        const F value(v[c]);
        repeat<vectors>([&](auto r) {
          const F sum = fma<Arch>(value, weight[r], acc[c][r]);
          if constexpr (careful)
            acc[c][r] = xsimd::select(weight[r] == F(hidden_weight), acc[c][r], sum);
          else
            acc[c][r] = sum;
        });
      });
    }
    if (!is_first) each([](auto& sum, float* place) { sum = sum + load<Arch>(place); });
    if (key == tile.keys) break;
    each([](auto& sum, float* place) { sum.store_unaligned(place); });
  }
}

// Adds a tile's sum to the sum so far, and keeps what rounding takes from it (Kahan): 10^5 keys of one
// value, added up plainly, would be off by 3e-4 of it. An infinite sum has lost nothing.
template <class Arch, bool careful>
HEED_INLINE void add_to_sum(Floats<Arch> tile_sum, bool has_lost, float* sum_place, float* lost_place) {
  using F = Floats<Arch>;
  const F sum = load<Arch>(sum_place);
  const F addend = has_lost ? tile_sum - load<Arch>(lost_place) : tile_sum;
  const F total = sum + addend;
  F lost = (total - sum) - addend;
  if constexpr (careful) lost = xsimd::select(lost == lost, lost, F(0.0f));
  total.store_unaligned(sum_place);
  lost.store_unaligned(lost_place);
}

// tiles_before: how many key tiles the sums hold already. The first writes them, the second is the first
// to lose anything: rows of one tile pay nothing for it.
template <class Arch, std::size_t vectors, bool careful>
[[gnu::flatten]] void read_values(const TileJob& job, const Workspace& space, const KeyTile& tile,
                                  std::size_t tiles_before) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for_each_piece<micro_channels<Arch, vectors>>(
      job.value_dim, [&](auto channels, std::size_t first) __attribute__((always_inline)) {
        F acc[channels][vectors];
        add_values<Arch, vectors, channels, careful>(job, tile, space.weights, first, acc);
        float* const sums = space.out + first * vectors * n;
        float* const losses = sums + job.value_dim * vectors * n;
        if (tiles_before == 0) {
          repeat<channels>([&](auto c) {
            repeat<vectors>([&](auto r) { acc[c][r].store_unaligned(sums + (c * vectors + r) * n); });
          });
        } else {
          repeat<channels>([&](auto c) {
            repeat<vectors>([&](auto r) {
              constexpr std::size_t place = (c * vectors + r) * n;
              add_to_sum<Arch, careful>(acc[c][r], tiles_before > 1, sums + place, losses + place);
            });
          });
        }
      });
}

}  // namespace
}  // namespace heed
