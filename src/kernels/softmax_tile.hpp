// SPDX-License-Identifier: Apache-2.0
// The running state of the softmax, one row per lane: reference, row sum, and how both are raised.
#pragma once

#include "kernels/exp.hpp"
#include "kernels/tile.hpp"

namespace heed {
namespace {

inline constexpr float infinity = __builtin_inff();

// How far a score may stand above the reference before the reference is raised: weights reach
// exp(11) = 2^16, far from overflow, and on ordinary inputs the reference is set once per row.
inline constexpr float headroom = 11.0f;

// How a hidden key is told from a weight that is 0 when values may be NaN or infinite.
inline constexpr float hidden_weight = -1.0f;

// The weight of a score s is 2^((s - base) * log2(e) + shift), where -shift is the reference: a
// whole number near the row's largest score in units of log2, and base is 0. So the product and the
// subtraction are one FMA with one rounding, and a raised reference rescales by a power of two, exactly.
// Where the product's own rounding would show (scores beyond 2^22: the largest weight would be anything
// but 1), base is the score itself and shift is 0: the subtraction then stands alone, and is exact.
template <class Arch, std::size_t vectors>
struct SoftmaxState {
  using F = Floats<Arch>;
  F shift[vectors];
  F base[vectors];
  F limit[vectors];  // scores above it raise the reference; -inf until the row has seen a key or a sink
  F sum[vectors];    // of the weights
  F lost[vectors];   // what rounding took from sum so far (Kahan): keeps row sums within 1e-6 at 10^5 keys
  bool has_base;     // in any lane
  bool is_fresh;     // no key has been summed: raising the reference has nothing to rescale

  void start() {
    repeat<vectors>([&](auto r) {
      shift[r] = F(0.0f);
      base[r] = F(0.0f);
      limit[r] = F(-infinity);
      sum[r] = F(0.0f);
      lost[r] = F(0.0f);
    });
    has_base = false;
    is_fresh = true;
  }

  // A sink is a key without a value: one per row, -inf where there is none. As the base of its row it has
  // weight 1, and a row that sees nothing else has exactly its lse.
  void start(const float* sinks) {
    start();
    repeat<vectors>([&](auto r) {
      const F sink = load<Arch>(sinks + r * lanes<Arch>);
      const auto has_sink = sink != F(-infinity);
      base[r] = xsimd::select(has_sink, sink, base[r]);
      limit[r] = xsimd::select(has_sink, sink + F(headroom), limit[r]);
      sum[r] = xsimd::select(has_sink, F(1.0f), sum[r]);
    });
    has_base = true;
    is_fresh = false;
  }

  // The weight of a score from which the base has been subtracted.
  F weight(F score, std::size_t r) const { return exp2<Arch>(xsimd::fma(score, F(log2_e), shift[r])); }

  // A tile's sum is small against the running sum of many tiles; added alone it would lose bits.
  void add(const F (&tile_sum)[vectors]) {
    repeat<vectors>([&](auto r) {
      const F addend = tile_sum[r] - lost[r];
      const F total = sum[r] + addend;
      lost[r] = (total - sum[r]) - addend;
      sum[r] = total;
    });
    is_fresh = false;
  }
};

// Raises the reference of the lanes whose score `top` is above their limit, and rescales what they have
// summed so far. Other lanes are multiplied by exactly 1: a row's bits don't depend on its neighbours.
// Rare (once per row and tile on unit inputs), so it stays out of the loop's way.
template <class Arch, std::size_t vectors>
[[gnu::noinline, gnu::cold]] void raise_reference(SoftmaxState<Arch, vectors>& state, const float* top, float* weights,
                                                  std::size_t keys_done, float* tile_sum, float* out,
                                                  std::size_t value_dim) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  const F round_to_whole(12582912.0f);
  const F largest_whole(4194304.0f);
  state.has_base = false;
  for (std::size_t r = 0; r < vectors; ++r) {
    const F score = load<Arch>(top + r * n);
    const auto is_raised = score > state.limit[r];
    const auto has_seen = state.limit[r] != F(-infinity);
    const F log2_score = score * F(log2_e);
    const auto is_whole = xsimd::abs(log2_score) < largest_whole;
    const F base = xsimd::select(is_whole, F(0.0f), score);
    const F shift = xsimd::select(is_whole, round_to_whole - (log2_score + round_to_whole), F(0.0f));
    const F rise = xsimd::fma(base - state.base[r], F(log2_e), state.shift[r] - shift);
    const F rescale = xsimd::select(is_raised & has_seen, exp2<Arch>(F(0.0f) - rise), F(1.0f));
    state.base[r] = xsimd::select(is_raised, base, state.base[r]);
    state.shift[r] = xsimd::select(is_raised, shift, state.shift[r]);
    state.limit[r] = xsimd::select(is_raised, score + F(headroom), state.limit[r]);
    state.sum[r] = state.sum[r] * rescale;
    state.lost[r] = state.lost[r] * rescale;
    state.has_base = state.has_base || xsimd::any(state.base[r] != F(0.0f));
    if (state.is_fresh && keys_done == 0) continue;
    (load<Arch>(tile_sum + r * n) * rescale).store_unaligned(tile_sum + r * n);
    for (std::size_t key = 0; key < keys_done; ++key) {
      float* const weight = weights + (key * vectors + r) * n;
      const F old = load<Arch>(weight);
      xsimd::select(old == F(hidden_weight), old, old * rescale).store_unaligned(weight);
    }
    for (std::size_t c = 0; c < value_dim; ++c) {
      float* const sum = out + (c * vectors + r) * n;
      (load<Arch>(sum) * rescale).store_unaligned(sum);
    }
  }
}

}  // namespace
}  // namespace heed
