// SPDX-License-Identifier: Apache-2.0
// Who sees whom in a workload, and what computing and moving that costs.
#pragma once

#include <cstdint>

#include "workload.hpp"

namespace heed::perf {

// May query row i of head h in batch item b read key j? Includes minus infinity in the bias.
bool is_visible(const Workload& workload, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j);

std::int64_t position_of(const Workload& workload, std::int64_t b, std::int64_t i);  // p

struct Cost {
  double visible_pairs = 0.0;  // (row, key)
  double flops = 0.0;          // of visible pairs: 2 * (head_dim + value_dim) each
  double read_bytes = 0.0;     // q, k, v, bias and masks, each distinct element once
  double written_bytes = 0.0;  // out, lse and weights
  double moved_bytes() const { return read_bytes + written_bytes; }
};
// Of a call that the library accepts: shapes are taken as they are.
Cost cost_of(const Workload& workload);

}  // namespace heed::perf
