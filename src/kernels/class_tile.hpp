// SPDX-License-Identifier: Apache-2.0
// The value product of a key tile where each key's value is 1 in the channel of its class and 0 elsewhere:
// out[class of key][row] += weight[key][row]. One addition a key, however many channels there are.
#pragma once

#include "kernels/value_tile.hpp"

namespace heed {
namespace {

// Each weight goes to the running sums at once, with what rounding takes from them: sums of a chain would be read
// and written for every channel, and a short row's chain has fewer keys than there are channels. `careful`: a hidden
// key's weight is marked, and counts as 0.
template <class Arch, std::size_t vectors, bool careful>
[[gnu::flatten]] void read_classes(const TileJob& job, const Workspace& space, const KeyTile& tile,
                                   std::size_t tiles_before) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  const std::size_t all_sums = job.value_dim * vectors * n;
  if (tiles_before == 0)
    for (std::size_t i = 0; i < 2 * all_sums; i += n) F(0.0f).store_unaligned(space.out + i);
  const std::int32_t* key_class = job.classes + tile.first * job.class_key;
  const float* weights = space.weights;
  for (std::size_t key = 0; key < tile.keys; ++key, key_class += job.class_key, weights += vectors * n) {
    float* const sums = space.out + static_cast<std::size_t>(*key_class) * vectors * n;
    repeat<vectors>([&](auto r) {
      F weight = load<Arch>(weights + r * n);
      if constexpr (careful) weight = xsimd::select(weight == F(hidden_weight), F(0.0f), weight);
      add_to_sum<Arch, false>(weight, true, sums + r * n, sums + all_sums + r * n);
    });
  }
}

}  // namespace
}  // namespace heed
