// SPDX-License-Identifier: Apache-2.0
#include "fuzz/random_spec.hpp"

#include <algorithm>

namespace heed::tests {
namespace {

// Mostly short, sometimes past several tiles, rarely empty.
std::int64_t random_length(Random& random) {
  if (random.chance(0.03)) return 0;
  if (random.chance(0.2)) return 1;
  return random.between(1, random.chance(0.6) ? 30 : random.chance(0.8) ? 120 : 450);
}

std::int64_t random_width(Random& random) {
  constexpr std::int64_t usual[] = {16, 32, 64, 128};
  if (random.chance(0.4)) return random.pick(usual);
  return random.between(random.chance(0.1) ? 0 : 1, random.chance(0.7) ? 24 : 140);
}

Dims random_pairwise_shape(Random& random, const perf::Spec& spec) {
  const auto full_or_one = [&](std::int64_t size) { return random.chance(0.5) ? size : 1; };
  return {full_or_one(spec.batch), full_or_one(spec.q_heads), full_or_one(spec.q_len), full_or_one(spec.kv_len)};
}

// Dimensions in any order, with gaps, forwards or backwards; inputs may broadcast.
Dims random_strides(Random& random, const Dims& shape, bool may_broadcast) {
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  for (std::size_t n = 3; n > 0; --n)
    std::swap(order[n], order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n)))]);
  if (random.chance(0.6)) {  // channels innermost
    std::swap(*std::find(order.begin(), order.end(), std::size_t{3}), order[3]);
  }
  Dims strides{};
  std::int64_t step = random.chance(0.7) ? 1 : random.between(2, 3);
  for (std::size_t n = 4; n-- > 0;) {
    const std::size_t d = order[n];
    strides[d] = random.chance(0.15) ? -step : step;
    if (may_broadcast && random.chance(0.1)) strides[d] = 0;
    step = step * std::max<std::int64_t>(shape[d], 1) + (random.chance(0.3) ? random.between(1, 5) : 0);
    if (shape[d] == 1 && random.chance(0.2)) strides[d] = std::int64_t{1} << 40;
  }
  return strides;
}

perf::Storage random_storage(Random& random, const Dims& shape, bool is_output) {
  perf::Storage storage;
  if (random.chance(0.5)) return storage;
  storage.order = random.chance(0.5) ? perf::Storage::Order::bnhd : perf::Storage::Order::strided;
  if (storage.order == perf::Storage::Order::strided) storage.strides = random_strides(random, shape, !is_output);
  return storage;
}

void choose_score_options(Random& random, perf::Spec& spec) {
  constexpr float scales[] = {0.0f, -0.5f, 0.1f, 0.7f, 1.0f};
  constexpr float caps[] = {0.5f, 3.0f, 30.0f};
  if (random.chance(0.3) || spec.head_dim == 0) spec.scale = random.pick(scales);
  if (random.chance(0.2)) spec.soft_cap = random.pick(caps);
  spec.has_slopes = random.chance(0.2);
  spec.has_sinks = random.chance(0.2);
  if (random.chance(0.25)) {
    constexpr int hidden[] = {0, 0, 10, 60};
    spec.bias = random_pairwise_shape(random, spec);
    spec.bias_hidden_percent = random.pick(hidden);
  }
}

void choose_masks(Random& random, perf::Spec& spec) {
  constexpr perf::Polarity polarities[] = {perf::Polarity::blocked, perf::Polarity::allowed};
  if (random.chance(0.2)) spec.key_mask = random.pick(polarities);
  spec.has_lengths = random.chance(0.2);
  if (random.chance(0.25)) {
    constexpr int hidden[] = {5, 10, 50, 95};
    spec.mask = random.pick(polarities);
    spec.mask_shape = random_pairwise_shape(random, spec);
    spec.hidden_percent = random.pick(hidden);
  }
  spec.causal = random.chance(0.35);
  if (random.chance(0.25)) {
    spec.window_left = random.between(-1, random.chance(0.5) ? 5 : 200);
    spec.window_right = random.between(-1, random.chance(0.5) ? 5 : 200);
  }
  const bool needs_position = spec.causal || spec.has_slopes || spec.window_left >= 0 || spec.window_right >= 0;
  if ((needs_position && spec.q_len != spec.kv_len) || random.chance(0.2)) {
    constexpr Position::Kind kinds[] = {Position::Kind::top_left, Position::Kind::bottom_right, Position::Kind::offset,
                                        Position::Kind::per_batch};
    spec.position = random.pick(kinds);
    if (*spec.position == Position::Kind::offset) spec.offset = random.between(-spec.q_len - 3, spec.kv_len + 3);
  }
}

}  // namespace

perf::Spec random_spec(Random& random) {
  constexpr std::int64_t groups[] = {1, 1, 1, 2, 3, 7, 8};
  constexpr perf::Fill fills[] = {perf::Fill::normal, perf::Fill::normal, perf::Fill::normal, perf::Fill::large,
                                  perf::Fill::equal};
  perf::Spec spec;
  spec.batch = random.chance(0.02) ? 0 : random.between(1, 3);
  spec.kv_heads = random.between(1, 3);
  spec.q_heads = spec.kv_heads * random.pick(groups);
  spec.q_len = random_length(random);
  spec.kv_len = random.chance(0.3) ? spec.q_len : random_length(random);
  if (random.chance(0.05)) {  // few queries, whose keys are cut into parts
    spec.q_len = random.between(1, 4);
    spec.kv_len = random.between(2048, 5000);
  }
  spec.head_dim = random_width(random);
  spec.value_dim = random.chance(0.6) ? spec.head_dim : random_width(random);
  choose_score_options(random, spec);
  choose_masks(random, spec);
  spec.q = random_storage(random, spec.q_shape(), false);
  spec.k = random_storage(random, spec.k_shape(), false);
  spec.v = random_storage(random, spec.v_shape(), false);
  spec.out = random_storage(random, spec.out_shape(), true);
  spec.fill = random.pick(fills);
  spec.seed = static_cast<std::uint64_t>(random.between(1, 1'000'000'000));
  return spec;
}

}  // namespace heed::tests
