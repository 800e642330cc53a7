// SPDX-License-Identifier: Apache-2.0
// Tiles of one KV head follow each other, so that its K and V stay in cache.
#include "paths/work_items.hpp"

#include <algorithm>

namespace heed {

WorkItem work_item(const Plan& plan, const Problem& problem, std::int64_t index) {
  const RowPartition& rows = plan.rows;
  const std::int64_t job = index % rows.job_count;
  const std::int64_t kv_head = index / rows.job_count;
  const std::int64_t groups = std::min(job, rows.group_jobs);
  const std::int64_t large = std::min(job - groups, rows.large_jobs);
  const std::int64_t small = job - groups - large;
  WorkItem item;
  item.batch = kv_head / problem.kv_heads * rows.batch_items;
  item.kv_head = kv_head % problem.kv_heads;
  item.first_row = groups * rows.group_rows + large * rows.large_rows + small * rows.small_rows;
  const std::int64_t most = job < rows.group_jobs                     ? rows.group_rows
                            : job < rows.group_jobs + rows.large_jobs ? rows.large_rows
                                                                      : rows.small_rows;
  const std::int64_t batch_items = std::min(rows.batch_items, problem.batch - item.batch);
  item.rows = std::min(most, batch_items * problem.group * problem.q_len - item.first_row);
  return item;
}

}  // namespace heed
