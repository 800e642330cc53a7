// SPDX-License-Identifier: Apache-2.0
// A part of a call as a call of its own: one batch item, one KV head with its group of query heads, and a
// range of the query rows. Every option goes along: what differs per batch item, head or row is narrowed.
#pragma once

#include <cstdint>

#include "heed/cross_check.hpp"
#include "plan/problem.hpp"

namespace heed {

struct Part {
  std::int64_t batch = 0;
  std::int64_t kv_head = 0;
  std::int64_t first_row = 0;  // among the q_len rows of each query head
  std::int64_t rows = 0;
};

// What a call reads. The options hold no outputs and no scratch.
struct Inputs {
  ConstTensor q, k, v;
  Options options;
};

// `problem` is that of `whole`.
Inputs part_of(const Inputs& whole, const Problem& problem, const Part& part);

// The rows of a tensor [batch, q_heads, q_len, any].
ConstTensor rows_of(const ConstTensor& tensor, const Problem& problem, const Part& part);

}  // namespace heed
