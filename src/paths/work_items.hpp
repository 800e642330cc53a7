// SPDX-License-Identifier: Apache-2.0
// Work index -> batch item, KV head, query rows. Grouped heads live here: the rows of one KV head are
// those of all its query heads, token by token, so that a tile of a causal call spans few tokens.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

struct WorkItem {
  std::int64_t batch = 0;
  std::int64_t kv_head = 0;
  std::int64_t first_row = 0;  // among the group * q_len rows of the KV head
  std::int64_t rows = 0;
};
WorkItem work_item(const Plan& plan, const Problem& problem, std::int64_t index);

// A row of a KV head is token row / group of query head kv_head * group + row % group.
struct RowPlace {
  std::int64_t head = 0;
  std::int64_t token = 0;
};
inline RowPlace row_place(const Problem& problem, std::int64_t kv_head, std::int64_t row) {
  return {kv_head * problem.group + row % problem.group, row / problem.group};
}

}  // namespace heed
