// SPDX-License-Identifier: Apache-2.0
// Work index -> batch item, KV head, query rows. Grouped heads live here: the rows of one KV head are
// those of all its query heads, token by token, so that a tile of a causal call spans few tokens.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

struct WorkItem {
  std::int64_t batch = 0;  // the first one
  std::int64_t kv_head = 0;
  std::int64_t first_row = 0;  // among the group * q_len rows of the KV head; 0 with several batch items
  std::int64_t rows = 0;
};
WorkItem work_item(const Plan& plan, const Problem& problem, std::int64_t index);

// Rows of an item, one after the other: query heads of the group, then tokens, then batch items.
struct RowPlace {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t token = 0;
};
inline RowPlace first_place(const Problem& problem, const WorkItem& item) {
  return {item.batch, item.kv_head * problem.group + item.first_row % problem.group, item.first_row / problem.group};
}
inline RowPlace next_place(const Problem& problem, const WorkItem& item, RowPlace place) {
  const std::int64_t first_head = item.kv_head * problem.group;
  if (++place.head < first_head + problem.group) return place;
  if (++place.token < problem.q_len) return {place.batch, first_head, place.token};
  return {place.batch + 1, first_head, 0};
}

}  // namespace heed
