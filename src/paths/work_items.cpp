// SPDX-License-Identifier: Apache-2.0
// Tiles of one KV head follow each other, so that its K and V stay in cache.
#include "paths/work_items.hpp"

#include <algorithm>

namespace heed {

WorkItem work_item(const Plan& plan, const Problem& problem, std::int64_t index) {
  const RowPartition& rows = plan.rows;
  const std::int64_t tile = index % rows.tile_count;
  const std::int64_t kv_head = index / rows.tile_count;
  const std::int64_t large = std::min(tile, rows.large_tiles);
  WorkItem item;
  item.batch = kv_head / problem.kv_heads;
  item.kv_head = kv_head % problem.kv_heads;
  item.first_row = large * rows.large_rows + (tile - large) * rows.small_rows;
  const std::int64_t end = tile < rows.large_tiles ? item.first_row + rows.large_rows : item.first_row + rows.small_rows;
  item.rows = std::min(end, problem.group * problem.q_len) - item.first_row;
  return item;
}

}  // namespace heed
