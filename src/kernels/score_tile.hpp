// SPDX-License-Identifier: Apache-2.0
// Scores of a key tile and their weights, a micro-tile at a time: products, soft cap, terms, exp.
#pragma once

#include "kernels/fetch_ahead.hpp"
#include "kernels/softmax_tile.hpp"

namespace heed {
namespace {

// Adds the products of one channel: acc[key][vector] += k[key] * q.
template <class Arch, std::size_t vectors, std::size_t keys>
HEED_INLINE void multiply_channel(const float* q, const float* k, std::ptrdiff_t k_token,
                                  Floats<Arch> (&acc)[keys][vectors]) {
  using F = Floats<Arch>;
  F row[vectors];
  repeat<vectors>([&](auto r) { row[r] = load<Arch>(q + r * lanes<Arch>); });
  repeat<keys>([&](auto key) {
    const F factor(k[static_cast<std::ptrdiff_t>(key) * k_token]);
    repeat<vectors>([&](auto r) { acc[key][r] = fma<Arch>(factor, row[r], acc[key][r]); });
  });
}

// Products of `keys` keys with the rows of the tile: acc[key][vector] = sum over channels of k * q, a chain
// of channels at a time. head_dim 0: at run time. partial: room for the scores, where sums wait.
template <class Arch, std::size_t vectors, std::size_t keys, std::size_t head_dim>
HEED_INLINE void multiply_keys(const TileJob& job, const float* q, const float* k, std::ptrdiff_t k_token,
                               float* partial, Floats<Arch> (&acc)[keys][vectors]) {
  constexpr std::size_t n = lanes<Arch>;
  constexpr std::size_t channel = vectors * n;
  const auto each = [&](auto f) __attribute__((always_inline)) {
    repeat<keys>(
        [&](auto key) { repeat<vectors>([&](auto r) { f(acc[key][r], partial + (key * vectors + r) * n); }); });
  };
  const std::size_t channels = head_dim == 0 ? job.head_dim : head_dim;
  for (std::size_t first = 0;;) {
    each([](auto& sum, float*) { sum = Floats<Arch>(0.0f); });
    const std::size_t end = channels - first < job.score_chain ? channels : first + job.score_chain;
    if constexpr (head_dim == 0) {
      for (std::size_t c = first; c < end; ++c)
        multiply_channel<Arch, vectors, keys>(q + c * channel, k + c, k_token, acc);
    } else {
      // Two channels a turn; 16 were slower with GCC (a loop body of 2 KB).
      for (std::size_t c = first; c < end; c += 2) {
        multiply_channel<Arch, vectors, keys>(q + c * channel, k + c, k_token, acc);
        multiply_channel<Arch, vectors, keys>(q + (c + 1) * channel, k + c + 1, k_token, acc);
      }
    }
    if (first > 0) each([](auto& sum, float* place) { sum = sum + load<Arch>(place); });
    if (end == channels) break;
    each([](auto& sum, float* place) { sum.store_unaligned(place); });
    first = end;
  }
}

// Soft cap, and terms with care: a term of -inf hides whatever the score is, NaN too. On scores in memory
// and out of line, so that the loop's registers and code are those of the plain case.
template <class Arch>
[[gnu::noinline]] void change_scores(const TileJob& job, const float* terms, std::size_t count, float* scores) {
  using F = Floats<Arch>;
  const F cap(job.soft_cap);
  const F inverse(job.soft_cap > 0.0f ? 1.0f / job.soft_cap : 0.0f);
  for (std::size_t i = 0; i < count; i += lanes<Arch>) {
    F score = load<Arch>(scores + i);
    if (job.soft_cap > 0.0f) score = cap * tanh<Arch>(score * inverse);
    if (terms != nullptr) {
      const F term = load<Arch>(terms + i);
      score = xsimd::select(term == F(-infinity), term, score + term);
    }
    score.store_unaligned(scores + i);
  }
}

// Cap and terms of a micro-tile; scratch is room for its scores. Not careful, adding a term of -inf is
// enough to hide: one instruction.
template <class Arch, std::size_t vectors, std::size_t keys>
HEED_INLINE void finish_scores(const TileJob& job, const float* terms, bool careful, float* scratch,
                               Floats<Arch> (&acc)[keys][vectors]) {
  constexpr std::size_t n = lanes<Arch>;
  if (job.soft_cap > 0.0f || careful) {
    repeat<keys>([&](auto key) {
      repeat<vectors>([&](auto r) { acc[key][r].store_unaligned(scratch + (key * vectors + r) * n); });
    });
    change_scores<Arch>(job, terms, keys * vectors * n, scratch);
    repeat<keys>([&](auto key) {
      repeat<vectors>([&](auto r) { acc[key][r] = load<Arch>(scratch + (key * vectors + r) * n); });
    });
  } else if (terms != nullptr) {
    repeat<keys>([&](auto key) {
      repeat<vectors>([&](auto r) { acc[key][r] = acc[key][r] + load<Arch>(terms + (key * vectors + r) * n); });
    });
  }
}

// Scores at weights[key][row] turned into weights in place, and added to sums: what the loop below does,
// and hidden keys marked. Out of line and on memory for the same reason.
template <class Arch, std::size_t vectors>
[[gnu::noinline]] void weigh_with_care(const SoftmaxState<Arch, vectors>& state, std::size_t keys, float* weights,
                                       float* sums) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t r = 0; r < vectors; ++r) {
    F piece_sum(0.0f);
    for (std::size_t key = 0; key < keys; ++key) {
      float* const place = weights + (key * vectors + r) * n;
      const F score = load<Arch>(place);
      const F weight = state.weight(score, r);
      piece_sum = piece_sum + weight;
      xsimd::select(score == F(-infinity), F(hidden_weight), weight).store_unaligned(place);
    }
    piece_sum.store_unaligned(sums + r * n);
  }
}

// Calls f with the head_dim that weigh_tile() is compiled for: 0, at run time, for all but the usual ones.
template <class Function>
HEED_INLINE void with_head_dim(std::size_t head_dim, Function f) {
  switch (head_dim) {
    case 16: return f(std::integral_constant<std::size_t, 16>{});
    case 32: return f(std::integral_constant<std::size_t, 32>{});
    case 64: return f(std::integral_constant<std::size_t, 64>{});
    case 128: return f(std::integral_constant<std::size_t, 128>{});
    default: return f(std::integral_constant<std::size_t, 0>{});
  }
}

// Scores of the tile turned into weights at weights[key][row], and their sum added to the
// state. The raw scores never leave the registers: a store among FMAs costs a cycle of both FMA pipes.
template <class Arch, std::size_t vectors, std::size_t head_dim>
[[gnu::flatten]] void weigh_tile(const TileJob& job, const Workspace& space, const KeyTile& tile, bool careful,
                                 SoftmaxState<Arch, vectors>& state) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  F chain_sum[vectors];
  std::size_t chain_begin = 0;
  repeat<vectors>([&](auto r) { chain_sum[r] = F(0.0f); });
  for_each_piece<micro_keys<Arch, vectors>>(
      tile.keys, [&](auto keys, std::size_t first) __attribute__((always_inline)) {
        if (job.ahead != nullptr) fetch_ahead(*job.ahead, keys);
        if (first - chain_begin >= job.value_chain) {
          chain_begin = first;
          state.add(chain_sum);
          repeat<vectors>([&](auto r) { chain_sum[r] = F(0.0f); });
        }
        float* const weights = space.weights + first * vectors * n;
        F acc[keys][vectors];
        multiply_keys<Arch, vectors, keys, head_dim>(
            job, space.q, tile.k + static_cast<std::ptrdiff_t>(first) * tile.k_token, tile.k_token, weights, acc);
        finish_scores<Arch, vectors, keys>(job, tile.terms == nullptr ? nullptr : tile.terms + first * vectors * n,
                                           careful, weights, acc);

        F top[vectors];
        repeat<vectors>([&](auto r) { top[r] = acc[0][r]; });
        repeat<keys - 1>(
            [&](auto key) { repeat<vectors>([&](auto r) { top[r] = xsimd::max(top[r], acc[key + 1][r]); }); });
        auto is_above = top[0] > state.limit[0];
        repeat<vectors - 1>([&](auto r) { is_above = is_above | (top[r + 1] > state.limit[r + 1]); });
        if (__builtin_expect(xsimd::any(is_above), false)) {
          // xsimd::max may answer NaN for a number beside a NaN: take the maximum of the numbers.
          repeat<vectors>([&](auto r) {
            top[r] = F(-infinity);
            repeat<keys>([&](auto key) { top[r] = xsimd::select(acc[key][r] > top[r], acc[key][r], top[r]); });
          });
          if (state.tiles == 0 && first == 0) {  // nothing to rescale but a sink
            F rescale[vectors];
            state.raise(top, rescale);
          } else {
            float tops[vectors * n];
            float sums[vectors * n];
            repeat<vectors>([&](auto r) {
              top[r].store_unaligned(tops + r * n);
              chain_sum[r].store_unaligned(sums + r * n);
            });
            raise_reference<Arch, vectors>(state, tops, space.weights, first, sums, space.out,
                                           2 * job.value_dim * vectors);
            repeat<vectors>([&](auto r) { chain_sum[r] = load<Arch>(sums + r * n); });
          }
        }

        if (__builtin_expect(careful, false)) {
          float sums[vectors * n];
          repeat<keys>([&](auto key) {
            repeat<vectors>([&](auto r) { acc[key][r].store_unaligned(weights + (key * vectors + r) * n); });
          });
          weigh_with_care<Arch, vectors>(state, keys, weights, sums);
          repeat<vectors>([&](auto r) { chain_sum[r] = chain_sum[r] + load<Arch>(sums + r * n); });
        } else {
          repeat<vectors>([&](auto r) {
            F piece_sum;
            repeat<keys>([&](auto key) {
              const F weight = state.weight(acc[key][r], r);
              weight.store_unaligned(weights + (key * vectors + r) * n);
              if constexpr (key == 0)
                piece_sum = weight;
              else
                piece_sum = piece_sum + weight;
            });
            chain_sum[r] = chain_sum[r] + piece_sum;
          });
        }
      });
  state.add(chain_sum);
  ++state.tiles;
}

}  // namespace
}  // namespace heed
