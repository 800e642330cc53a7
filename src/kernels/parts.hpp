// SPDX-License-Identifier: Apache-2.0
// Single pieces of the kernels under one call each, for tests and measurements: the templates that attend() is made
// of, and nothing of their own.
#pragma once

#include "kernels/gelu.hpp"
#include "kernels/score_tile.hpp"
#include "kernels/value_tile.hpp"

namespace heed {
namespace {

template <class Arch, class Function>
HEED_INLINE void map(const float* x, float* y, std::size_t count, Function f) {
  constexpr std::size_t n = lanes<Arch>;
  std::size_t i = 0;
  for (; i + n <= count; i += n) f(load<Arch>(x + i)).store_unaligned(y + i);
  if (i == count) return;
  float cells[n] = {};
  for (std::size_t lane = 0; i + lane < count; ++lane) cells[lane] = x[i + lane];
  f(load<Arch>(cells)).store_unaligned(cells);
  for (std::size_t lane = 0; i + lane < count; ++lane) y[i + lane] = cells[lane];
}
template <class Arch>
void map_exp(const float* x, float* y, std::size_t count) noexcept {
  map<Arch>(
      x, y, count, [](Floats<Arch> cells) __attribute__((always_inline)) { return exp<Arch>(cells); });
}
template <class Arch>
void map_tanh(const float* x, float* y, std::size_t count) noexcept {
  map<Arch>(
      x, y, count, [](Floats<Arch> cells) __attribute__((always_inline)) { return tanh<Arch>(cells); });
}

template <class Arch>
void map_gelu(const float* x, float* y, std::size_t count) noexcept {
  map<Arch>(
      x, y, count, [](Floats<Arch> cells) __attribute__((always_inline)) { return gelu<Arch>(cells); });
}

inline TileJob job_of(const TilePart& part, std::size_t head_dim) {
  TileJob job{};
  job.head_dim = head_dim;
  job.value_dim = part.value_dim;
  job.score_chain = part.score_chain;
  job.value_chain = part.value_chain;
  return job;
}

inline Workspace space_of(const TilePart& part) {
  // Read only, and not const because the kernel itself fills it.
  return {const_cast<float*>(part.q), part.out, part.weights, nullptr, nullptr, nullptr, nullptr};
}

inline KeyTile tile_of(const TilePart& part, const float* terms) {
  return {0, part.keys, part.k, part.v, part.k_token, part.v_token, terms};
}

template <class Arch, std::size_t vectors>
SoftmaxState<Arch, vectors> read_softmax(const TilePart& part) {
  constexpr std::size_t n = lanes<Arch>;
  SoftmaxState<Arch, vectors> state;
  state.start();
  state.tiles = part.tiles_before;
  if (part.tiles_before == 0) return state;
  repeat<vectors>([&](auto r) {
    state.reference[r] = load<Arch>(part.state + r * n);
    state.limit[r] = load<Arch>(part.state + (vectors + r) * n);
    state.sum[r] = load<Arch>(part.state + (2 * vectors + r) * n);
    state.lost[r] = load<Arch>(part.state + (3 * vectors + r) * n);
  });
  return state;
}

template <class Arch, std::size_t vectors>
void write_softmax(const SoftmaxState<Arch, vectors>& state, const TilePart& part) {
  constexpr std::size_t n = lanes<Arch>;
  repeat<vectors>([&](auto r) {
    state.reference[r].store_unaligned(part.state + r * n);
    state.limit[r].store_unaligned(part.state + (vectors + r) * n);
    state.sum[r].store_unaligned(part.state + (2 * vectors + r) * n);
    state.lost[r].store_unaligned(part.state + (3 * vectors + r) * n);
  });
}

template <class Arch, std::size_t vectors, std::size_t head_dim>
[[gnu::flatten]] void score_tile(const TilePart& part) {
  constexpr std::size_t n = lanes<Arch>;
  const TileJob job = job_of(part, part.head_dim);
  for_each_piece<micro_keys<Arch, vectors>>(
      part.keys, [&](auto keys, std::size_t first) __attribute__((always_inline)) {
        float* const scores = part.scores + first * vectors * n;
        Floats<Arch> acc[keys][vectors];
        multiply_keys<Arch, vectors, keys, head_dim>(
            job, part.q, part.k + static_cast<std::ptrdiff_t>(first) * part.k_token, part.k_token, scores, acc);
        repeat<keys>([&](auto key) {
          repeat<vectors>([&](auto r) { acc[key][r].store_unaligned(scores + (key * vectors + r) * n); });
        });
      });
}

// Calls f with the row vectors of a part as a constant.
template <class Arch, class Function>
void with_vectors(const TilePart& part, Function f) {
  if (part.rows == lanes<Arch>) return f(std::integral_constant<std::size_t, 1>{});
  if (part.rows == 2 * lanes<Arch>) return f(std::integral_constant<std::size_t, 2>{});
  f(std::integral_constant<std::size_t, max_vectors>{});
}

template <class Arch>
void score(const TilePart& part) noexcept {
  with_vectors<Arch>(part, [&](auto vectors) {
    with_head_dim(part.head_dim, [&](auto head_dim) { score_tile<Arch, vectors, head_dim>(part); });
  });
}

template <class Arch>
void weigh(const TilePart& part) noexcept {
  with_vectors<Arch>(part, [&](auto vectors) {
    auto state = read_softmax<Arch, vectors>(part);
    with_head_dim(part.head_dim, [&](auto head_dim) {
      weigh_tile<Arch, vectors, head_dim>(job_of(part, part.head_dim), space_of(part), tile_of(part, nullptr), false,
                                          state);
    });
    write_softmax(state, part);
  });
}

// What is left of weigh() without channels: every product is 0, and the scores come as terms.
template <class Arch>
void softmax(const TilePart& part) noexcept {
  with_vectors<Arch>(part, [&](auto vectors) {
    auto state = read_softmax<Arch, vectors>(part);
    weigh_tile<Arch, vectors, 0>(job_of(part, 0), space_of(part), tile_of(part, part.scores), false, state);
    write_softmax(state, part);
  });
}

template <class Arch>
void value(const TilePart& part) noexcept {
  with_vectors<Arch>(part, [&](auto vectors) {
    read_values<Arch, vectors, false>(job_of(part, part.head_dim), space_of(part), tile_of(part, nullptr),
                                      part.tiles_before);
  });
}

template <class Arch>
inline constexpr KernelParts parts = {.exp = map_exp<Arch>,
                                      .tanh = map_tanh<Arch>,
                                      .gelu = map_gelu<Arch>,
                                      .score = score<Arch>,
                                      .softmax = softmax<Arch>,
                                      .weigh = weigh<Arch>,
                                      .value = value<Arch>};

}  // namespace
}  // namespace heed
