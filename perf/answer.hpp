// SPDX-License-Identifier: Apache-2.0
// What a workload's rows should come out as: the reference path, a row at a time, with the bound that
// heed states for each.
#pragma once

#include <cstdint>
#include <vector>

#include "workload.hpp"

namespace heed::perf {

struct AnswerRow {
  std::int64_t b = 0, h = 0, i = 0;
  std::vector<float> out;  // value_dim; computed in double, rounded once
  float lse = 0.0f;
  double score_magnitude = 0.0;  // A of error_bound()
  double max_abs_v = 0.0;        // over the keys that the row sees
};

struct Answer {
  std::vector<AnswerRow> rows;
  bool is_sample = false;  // not every row of the workload
};

// At most max_rows rows: all of them where they are so few, else the first, the last and others
// drawn by seed.
Status reference_answer(const Workload& workload, std::int64_t max_rows, std::uint64_t seed, Answer& answer);

// Rows whose reference answer takes about that many multiply-adds, at least eight.
std::int64_t affordable_rows(const Workload& workload, double multiply_adds);

struct Comparison {
  double max_err = 0.0;                     // largest |out - reference|; infinity where just one is NaN
  double max_lse_err = 0.0;                 // when lse was asked for
  double worst_bound_share = 0.0;           // largest error / error_bound() of its row
  std::int64_t b = 0, h = 0, i = 0, c = 0;  // where the largest share lies
  bool holds() const { return worst_bound_share <= 1.0; }
};
Comparison compare(const Workload& workload, const Answer& answer, Path path = Path::streaming);

}  // namespace heed::perf
