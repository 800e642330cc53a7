// SPDX-License-Identifier: Apache-2.0
// Two answers to one problem compared row by row, each number with the error that the contract allows it;
// the table in heed/cross_check.hpp says how much. Knows nothing of how the answers came about.
#pragma once

#include "heed/cross_check.hpp"
#include "plan/problem.hpp"

namespace heed {

// An answer where it lies. What is null in the one under test is not compared, and the other has all that is.
struct AnswerView {
  View<const float> out, lse, weights;
  Path path = Path::streaming;  // that made it, or whose accuracy it should have
};

// What has been seen of one quantity so far.
struct Tally {
  std::int64_t count = 0;
  double max_error = 0.0, sum = 0.0;
  double share = 0.0, error = 0.0;  // at the worst place
  Dims worst{};
  double got = 0.0, wanted = 0.0, bound = 0.0;

  void add(const Dims& place, double got, double wanted, double error, double bound);
  void add(const Tally& later);
};

struct Tallies {
  Tally out, lse, weights, row_sum, hidden_weight;
  double score_magnitude = 0.0;  // of rows where it is finite
  double max_abs_v = 0.0;
  Path path = Path::streaming;  // whose error bound holds

  void add(const Tallies& later);
};

// Compares the rows of a problem of one batch item and KV head. `first` is where its first row stands in
// the whole call: {batch item, query head, query row, 0}.
Tallies compare(const Problem& problem, const Dims& first, const AnswerView& got, const AnswerView& wanted,
                int threads);

// Which quantities an answer has; out always.
struct Given {
  bool lse = true, weights = true;
};

// Everything in the report but its plans and text.
CrossCheckReport judge(const Tallies& tallies, Given given);

std::string text_of(const CrossCheckReport& report);

}  // namespace heed
