// SPDX-License-Identifier: Apache-2.0
#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::tests {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

}  // namespace

std::int64_t element_offset(const Dims& shape, const Dims& strides, const Dims& index) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < 4; ++d)
    if (shape[d] > 1) offset += index[d] * strides[d];
  return offset;
}

// long double holds every sum of three 64-bit integers that a user can ask for.
long double Oracle::position(std::int64_t b, std::int64_t i) const {
  const Position position = options_.position.value_or(Position::top_left());
  std::int64_t offset = 0;
  switch (position.kind) {
    case Position::Kind::top_left: break;
    case Position::Kind::bottom_right: offset = k_.shape[2] - q_.shape[2]; break;
    case Position::Kind::offset: offset = position.value; break;
    case Position::Kind::per_batch: offset = position.values[static_cast<std::size_t>(b)]; break;
  }
  return static_cast<long double>(i) + static_cast<long double>(offset);
}

bool Oracle::is_visible(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const long double p = position(b, i);
  const auto key = static_cast<long double>(j);
  if (options_.causal && key > p) return false;
  if (options_.window.left >= 0 && key < p - static_cast<long double>(options_.window.left)) return false;
  if (options_.window.right >= 0 && key > p + static_cast<long double>(options_.window.right)) return false;
  if (!options_.lengths.empty() && j >= options_.lengths[static_cast<std::size_t>(b)]) return false;
  if (options_.key_mask) {
    const KeyMask& mask = *options_.key_mask;
    const bool cell = mask.data[element_offset({mask.shape[0], mask.shape[1], 1, 1},
                                               {mask.strides[0], mask.strides[1], 0, 0}, {b, j, 0, 0})] != 0;
    if (cell != mask.true_is_allowed) return false;
  }
  if (options_.mask) {
    const Mask& mask = *options_.mask;
    const bool cell = mask.data[element_offset(mask.shape, mask.strides, {b, h, i, j})] != 0;
    if (cell != mask.true_is_allowed) return false;
  }
  return !options_.bias || element(*options_.bias, b, h, i, j) != -std::numeric_limits<float>::infinity();
}

Oracle::Score Oracle::score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const double scale = options_.scale ? static_cast<double>(*options_.scale)
                                      : static_cast<double>(1.0f / std::sqrt(static_cast<float>(q_.shape[3])));
  double dot = 0.0, magnitude = 0.0;
  const float* const q = element_address(q_, b, h, i, 0);
  const float* const k = element_address(k_, b, kv_head(h), j, 0);
  for (std::int64_t c = 0; c < q_.shape[3]; ++c) {
    const double product = static_cast<double>(q[c * q_.strides[3]]) * static_cast<double>(k[c * k_.strides[3]]);
    dot += product;
    magnitude += std::abs(product);
  }
  Score score{scale * dot, std::abs(scale) * magnitude};
  if (options_.soft_cap != 0.0f) {
    const auto cap = static_cast<double>(options_.soft_cap);
    score.value = cap * std::tanh(score.value / cap);
  }
  if (options_.bias) {
    const auto bias = static_cast<double>(element(*options_.bias, b, h, i, j));
    score.value += bias;
    score.magnitude += std::abs(bias);
  }
  if (!options_.slopes.empty()) {
    const double slope = static_cast<double>(options_.slopes[static_cast<std::size_t>(h)]);
    const double term = slope * std::abs(static_cast<double>(position(b, i) - static_cast<long double>(j)));
    score.value -= term;
    score.magnitude += std::abs(term);
  }
  return score;
}

RowAnswer Oracle::row(std::int64_t b, std::int64_t h, std::int64_t i) const {
  const std::int64_t kv_len = k_.shape[2];
  const double sink =
      options_.sinks.empty() ? minus_infinity : static_cast<double>(options_.sinks[static_cast<std::size_t>(h)]);
  RowAnswer answer;
  answer.out.assign(static_cast<std::size_t>(v_.shape[3]), 0.0);
  answer.weights.assign(static_cast<std::size_t>(kv_len), 0.0);

  std::vector<double> scores(static_cast<std::size_t>(kv_len), minus_infinity);
  double row_max = sink;
  bool has_nan = false;
  for (std::int64_t j = 0; j < kv_len; ++j) {
    if (!is_visible(b, h, i, j)) continue;
    const Score term = score(b, h, i, j);
    scores[static_cast<std::size_t>(j)] = term.value;
    if (term.value == minus_infinity) continue;
    has_nan = has_nan || std::isnan(term.value);
    row_max = std::max(row_max, term.value);
    answer.magnitude = std::max(answer.magnitude, term.magnitude);
    const float* const v = element_address(v_, b, kv_head(h), j, 0);
    for (std::int64_t c = 0; c < v_.shape[3]; ++c)
      answer.max_abs_v = std::max(answer.max_abs_v, std::abs(static_cast<double>(v[c * v_.strides[3]])));
  }
  if (has_nan) row_max = std::numeric_limits<double>::quiet_NaN();
  answer.lse = row_max;
  if (row_max == minus_infinity) return answer;

  double sum = std::exp(sink - row_max);
  for (const double value : scores)
    if (value != minus_infinity) sum += std::exp(value - row_max);
  for (std::int64_t j = 0; j < kv_len; ++j) {
    const double value = scores[static_cast<std::size_t>(j)];
    if (value == minus_infinity) continue;
    const double weight = std::exp(value - row_max) / sum;
    answer.weights[static_cast<std::size_t>(j)] = weight;
    answer.row_sum += weight;
    const float* const v = element_address(v_, b, kv_head(h), j, 0);
    for (std::int64_t c = 0; c < v_.shape[3]; ++c)
      answer.out[static_cast<std::size_t>(c)] += weight * static_cast<double>(v[c * v_.strides[3]]);
  }
  answer.lse = row_max + std::log(sum);
  return answer;
}

}  // namespace heed::tests
