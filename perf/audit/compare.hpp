// SPDX-License-Identifier: Apache-2.0
// Differences between two tensors of a call, judged row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/row_facts.hpp"

namespace heed::audit {

// Elements of a tensor [batch, heads, tokens, channels], wherever they lie.
template <class Element>
struct Grid {
  const Element* data = nullptr;
  Dims strides{};
  double at(const RowPlace& row, std::int64_t c) const {
    return static_cast<double>(data[row.b * strides[0] + row.h * strides[1] + row.i * strides[2] + c * strides[3]]);
  }
};

struct Difference {
  double max = 0.0;  // infinity where only one of the two is NaN or infinite
  double mean = 0.0;
  double of_bound = 0.0;  // the largest share of a row's bound; above 1 it does not hold
  bool is_empty = true;
  Dims worst{};  // b, h, i, c of `max`
  bool holds() const { return of_bound <= 1.0; }
};

// Two NaN agree, and so do two infinities of one sign.
inline double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double difference = std::abs(a - b);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

// Where a bound is NaN or infinite, finite numbers are not judged.
inline double share_of_bound(double difference, double bound) {
  if (difference == 0.0) return 0.0;
  if (std::isinf(difference)) return difference;
  return std::isfinite(bound) ? difference / bound : 0.0;
}

// Visits the rows of a call in the order of the file: batch, head, token.
template <class Visit>
void for_each_row(const Sizes& sizes, Visit visit) {
  for (RowPlace row; row.b < sizes.batch; ++row.b)
    for (row.h = 0; row.h < sizes.q_heads; ++row.h)
      for (row.i = 0; row.i < sizes.q_len; ++row.i) visit(row);
}

template <class A, class B, class Bound>
Difference compare(const Sizes& sizes, std::int64_t channels, const Grid<A>& a, const Grid<B>& b, Bound bound_of) {
  Difference found;
  double sum = 0.0;
  for_each_row(sizes, [&](const RowPlace& row) {
    const double bound = bound_of(row);
    for (std::int64_t c = 0; c < channels; ++c) {
      const double difference = distance(a.at(row, c), b.at(row, c));
      if (found.is_empty || difference > found.max) {
        found.max = difference;
        found.worst = {row.b, row.h, row.i, c};
      }
      found.is_empty = false;
      found.of_bound = std::max(found.of_bound, share_of_bound(difference, bound));
      sum += difference;
    }
  });
  if (!found.is_empty) found.mean = sum / static_cast<double>(sizes.rows() * channels);
  return found;
}

}  // namespace heed::audit
