// SPDX-License-Identifier: Apache-2.0
// Bounds are worst cases: a sum of n rounded products is off by at most n + 1 times 2^-24 of the sum of their
// magnitudes, in whatever order they are added; exp has the bound that kernels/exp.hpp states.
#include "pieces/tile_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::perf {
namespace {

constexpr double unit = 0x1p-24;       // half a last place
constexpr double headroom = 11.0;      // see kernels/softmax_tile.hpp
constexpr double smallest = 0x1p-126;  // exp may give 0 below the smallest normal number

// Sum of count products and how far a float sum of them may be off.
struct Sum {
  double value = 0.0, magnitude = 0.0;
  std::size_t count = 0;
  void add(double x, double y) {
    value += x * y;
    magnitude += std::abs(x * y);
    ++count;
  }
  double bound() const { return (static_cast<double>(count) + 1.0) * unit * magnitude; }
};

// Cell [x][row].
float at(const TilePart& part, const float* cells, std::size_t x, std::size_t row) {
  return cells[x * part.rows + row];
}

Sum score_of(const TilePart& part, std::size_t row, std::size_t key) {
  Sum sum;
  for (std::size_t c = 0; c < part.head_dim; ++c)
    sum.add(
        static_cast<double>(at(part, part.q, c, row)),
        static_cast<double>(part.k[static_cast<std::ptrdiff_t>(key) * part.k_token + static_cast<std::ptrdiff_t>(c)]));
  return sum;
}

double exp_bound(double x) { return std::exp(x) * (2.0 * 0x1p-23 + std::abs(x) * unit) + smallest; }

// score(row, key): what the weights were to be made of; its bound is how far the piece's own may be from it.
template <class Score>
TileCheck check_weights(const TilePart& part, Score score) {
  TileCheck check;
  for (std::size_t row = 0; row < part.rows; ++row) {
    const auto reference = static_cast<double>(at(part, part.state, 0, row));
    Sum weights;
    double top = -std::numeric_limits<double>::infinity(), top_bound = 0.0;
    for (std::size_t key = 0; key < part.keys; ++key) {
      const Sum wanted = score(row, key);
      const double x = wanted.value - reference;
      const float weight = at(part, part.weights, key, row);
      // The difference is rounded once more, and what the score is off by moves exp by as much of itself.
      const double off = wanted.bound() + std::abs(x) * unit;
      check.add(weight, std::exp(x), exp_bound(x) + std::exp(x) * std::expm1(off));
      weights.add(static_cast<double>(weight), 1.0);
      if (wanted.value > top) top = wanted.value, top_bound = wanted.bound();
    }
    check.add(at(part, part.state, 2, row), weights.value, weights.bound());
    // The reference is a score of the row that none other exceeds by more than the headroom.
    const double above = top - reference, slack = top_bound + headroom * unit;
    if (!(above >= -slack && above <= headroom + slack)) check.holds = false;
  }
  return check;
}

}  // namespace

void TileCheck::add(float got, double wanted, double bound) {
  const double distance =
      std::isnan(got) ? std::numeric_limits<double>::infinity() : std::abs(static_cast<double>(got) - wanted);
  max_err = std::max(max_err, distance / std::max(1.0, std::abs(wanted)));
  if (!(distance <= bound)) holds = false;
}

TileCheck check_exp(const float* x, const float* y, std::size_t count) {
  TileCheck check;
  for (std::size_t i = 0; i < count; ++i) {
    const auto argument = static_cast<double>(x[i]);
    check.add(y[i], std::exp(argument), exp_bound(argument));
  }
  return check;
}

TileCheck check_scores(const TilePart& part) {
  TileCheck check;
  for (std::size_t key = 0; key < part.keys; ++key)
    for (std::size_t row = 0; row < part.rows; ++row) {
      const Sum wanted = score_of(part, row, key);
      check.add(at(part, part.scores, key, row), wanted.value, wanted.bound());
    }
  return check;
}

TileCheck check_softmax(const TilePart& part) {
  return check_weights(part, [&](std::size_t row, std::size_t key) {
    return Sum{static_cast<double>(at(part, part.scores, key, row)), 0.0, 0};
  });
}

TileCheck check_weigh(const TilePart& part) {
  return check_weights(part, [&](std::size_t row, std::size_t key) { return score_of(part, row, key); });
}

TileCheck check_values(const TilePart& part) {
  TileCheck check;
  for (std::size_t c = 0; c < part.value_dim; ++c)
    for (std::size_t row = 0; row < part.rows; ++row) {
      Sum wanted;
      for (std::size_t key = 0; key < part.keys; ++key)
        wanted.add(static_cast<double>(at(part, part.weights, key, row)),
                   static_cast<double>(
                       part.v[static_cast<std::ptrdiff_t>(key) * part.v_token + static_cast<std::ptrdiff_t>(c)]));
      check.add(at(part, part.out, c, row), wanted.value, wanted.bound());
    }
  return check;
}

}  // namespace heed::perf
