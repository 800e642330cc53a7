// SPDX-License-Identifier: Apache-2.0
// The weights of one path: rows sum to 1, hidden keys weigh exactly 0.
#pragma once

#include <cstdint>

#include "audit/compare.hpp"

namespace heed::audit {

struct WeightsFound {
  double row_sum_error = 0.0;
  double hidden_weight = 0.0;  // the largest; infinity for NaN
  std::int64_t rows = 0;       // looked at; rows whose scores are not finite are left out
  RowPlace worst_sum;

  bool sums_hold() const { return row_sum_error <= 1e-6; }
  bool hidden_hold() const { return hidden_weight == 0.0; }
};

// Adds one row. A row that sees nothing sums to 0.
void look_at_row(const Call& call, const AllRowFacts& facts, const RowPlace& row, const Grid<float>& weights,
                 const RowPlace& place_in_weights, WeightsFound& found);

WeightsFound look_at_weights(const Call& call, const AllRowFacts& facts, const Grid<float>& weights);

// Asks `path` for the weights of evenly spread blocks of rows, for where all of them together would be
// too large. Each block is a call of its own.
Status look_at_sampled_weights(const Call& call, const AllRowFacts& facts, Path path, WeightsFound& found);

}  // namespace heed::audit
