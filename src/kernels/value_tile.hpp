// SPDX-License-Identifier: Apache-2.0
// The value product of a key tile: out[channel][row] += sum over keys of v[key][channel] * weight[key][row].
#pragma once

#include "kernels/softmax_tile.hpp"

namespace heed {
namespace {

// Channels [first, first + channels) stay in registers over all keys of the tile. `careful`: a hidden
// key adds nothing even if its value is NaN or infinite, which a weight of 0 would not ensure.
template <class Arch, std::size_t vectors, std::size_t channels, bool careful>
HEED_INLINE void add_values(const KeyTile& tile, const float* weights, float* out, std::size_t first) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  float* const sums = out + first * vectors * n;
  F acc[channels][vectors];
  repeat<channels>([&](auto c) {
    repeat<vectors>([&](auto r) { acc[c][r] = load<Arch>(sums + (c * vectors + r) * n); });
  });
  const float* v = tile.v + first;
  for (std::size_t key = 0; key < tile.keys; ++key, v += tile.v_token, weights += vectors * n) {
    F weight[vectors];
    repeat<vectors>([&](auto r) { weight[r] = load<Arch>(weights + r * n); });
    repeat<channels>([&](auto c) {
      const F value(v[c]);
      repeat<vectors>([&](auto r) {
        const F sum = xsimd::fma(value, weight[r], acc[c][r]);
        if constexpr (careful)
          acc[c][r] = xsimd::select(weight[r] == F(hidden_weight), acc[c][r], sum);
        else
          acc[c][r] = sum;
      });
    });
  }
  repeat<channels>([&](auto c) {
    repeat<vectors>([&](auto r) { acc[c][r].store_unaligned(sums + (c * vectors + r) * n); });
  });
}

template <class Arch, std::size_t vectors, bool careful>
[[gnu::flatten]] void read_values(const TileJob& job, const Workspace& space, const KeyTile& tile) {
  for_each_piece<micro_channels<Arch, vectors>>(job.value_dim, [&](auto channels, std::size_t first) __attribute__((always_inline)) {
    add_values<Arch, vectors, channels, careful>(tile, space.weights, space.out, first);
  });
}

}  // namespace
}  // namespace heed
