// SPDX-License-Identifier: Apache-2.0
// What a piece wrote against plain loops in double. All are about a first key tile (tiles_before 0).
#pragma once

#include <cstddef>

#include "dispatch/kernel_table.hpp"

namespace heed::perf {

struct TileCheck {
  double max_err = 0.0;  // largest distance from the right answer; of answers above 1, as a share of them
  bool holds = true;     // every distance is within what rounding can do

  // NaN is infinitely far from everything.
  void add(float got, double wanted, double bound);
};

TileCheck check_exp(const float* x, const float* y, std::size_t count);  // x <= 11.1
TileCheck check_scores(const TilePart& part);                            // of q and k
// Weights, reference and row sums: of part.scores, or of the scores that q and k have.
TileCheck check_softmax(const TilePart& part);
TileCheck check_weigh(const TilePart& part);
TileCheck check_values(const TilePart& part);  // of weights and v

}  // namespace heed::perf
