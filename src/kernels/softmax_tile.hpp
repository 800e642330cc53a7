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

// Adds to a running sum and keeps what rounding takes from it (Kahan).
template <class Arch>
HEED_INLINE void add_keeping_loss(Floats<Arch> x, Floats<Arch>& sum, Floats<Arch>& lost) {
  const Floats<Arch> addend = x - lost;
  const Floats<Arch> total = sum + addend;
  lost = (total - sum) - addend;
  sum = total;
}

template <class Arch, std::size_t vectors>
struct SoftmaxState {
  using F = Floats<Arch>;
  F reference[vectors];  // m: subtracted from every score; finite until a score isn't
  F limit[vectors];      // scores above it raise m; -inf until the row has seen a key or a sink
  F sum[vectors];        // of the weights exp(score - m)
  F lost[vectors];       // what rounding took from sum so far (Kahan): keeps row sums within 1e-6 at 10^5 keys
  std::size_t tiles;     // key tiles summed so far; before the first, out is not yet written

  void start() {
    repeat<vectors>([&](auto r) {
      reference[r] = F(0.0f);
      limit[r] = F(-infinity);
      sum[r] = F(0.0f);
      lost[r] = F(0.0f);
    });
    tiles = 0;
  }

  // A sink is a key without a value: one per row, -inf where there is none.
  void start(const float* sinks) {
    start();
    repeat<vectors>([&](auto r) {
      const F sink = load<Arch>(sinks + r * lanes<Arch>);
      const auto has_sink = sink != F(-infinity);
      reference[r] = xsimd::select(has_sink, sink, reference[r]);
      limit[r] = xsimd::select(has_sink, sink + F(headroom), limit[r]);
      sum[r] = xsimd::select(has_sink, F(1.0f), sum[r]);
    });
  }

  // The subtraction stands alone, and is exact for the largest score, whose weight is exactly 1. Folded
  // into one FMA with the multiplication by log2(e), the rounding of the reference's product would show
  // where scores are huge; on whole references in units of log2 one visible key would not give exactly its
  // value. (Either saves 0.6 cycles of 8 per exp.)
  F weight(F score, std::size_t r) const { return exp<Arch>(score - reference[r]); }

  // Raises the reference where `top` is above the limit; answers what sums so far are multiplied by.
  HEED_INLINE void raise(const F (&top)[vectors], F (&rescale)[vectors]) {
    repeat<vectors>([&](auto r) {
      const auto is_raised = top[r] > limit[r];
      const auto has_seen = limit[r] != F(-infinity);
      rescale[r] = xsimd::select(is_raised & has_seen, exp<Arch>(reference[r] - top[r]), F(1.0f));
      reference[r] = xsimd::select(is_raised, top[r], reference[r]);
      limit[r] = xsimd::select(is_raised, top[r] + F(headroom), limit[r]);
      sum[r] = sum[r] * rescale[r];
      lost[r] = lost[r] * rescale[r];
    });
  }

  // The sum of a chain of keys is small against the running sum of many; added alone it would lose bits.
  void add(const F (&chain_sum)[vectors]) {
    repeat<vectors>([&](auto r) { add_keeping_loss<Arch>(chain_sum[r], sum[r], lost[r]); });
  }
};

// Raises the reference of the lanes whose score `top` is above their limit, and rescales what they have
// summed so far. Other lanes are multiplied by exactly 1: a row's bits don't depend on its neighbours.
// Rare (once per row and tile on unit inputs), so it stays out of the loop's way.
template <class Arch, std::size_t vectors>
[[gnu::noinline, gnu::cold]] void raise_reference(SoftmaxState<Arch, vectors>& state, const float* tops, float* weights,
                                                  std::size_t keys_done, float* chain_sum, float* out,
                                                  std::size_t out_vectors) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  F top[vectors];
  repeat<vectors>([&](auto r) { top[r] = load<Arch>(tops + r * n); });
  F rescales[vectors];
  state.raise(top, rescales);
  for (std::size_t r = 0; r < vectors; ++r) {
    const F rescale = rescales[r];
    (load<Arch>(chain_sum + r * n) * rescale).store_unaligned(chain_sum + r * n);
    for (std::size_t key = 0; key < keys_done; ++key) {
      float* const weight = weights + (key * vectors + r) * n;
      const F old = load<Arch>(weight);
      xsimd::select(old == F(hidden_weight), old, old * rescale).store_unaligned(weight);
    }
    for (std::size_t i = r; i < out_vectors && state.tiles > 0; i += vectors)
      (load<Arch>(out + i * n) * rescale).store_unaligned(out + i * n);
  }
}

}  // namespace
}  // namespace heed
