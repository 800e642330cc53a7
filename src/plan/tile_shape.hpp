// SPDX-License-Identifier: Apache-2.0
// Rows and keys per tile, and the scratch they need; each number with its derivation in the .cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch/kernel_table.hpp"
#include "plan/problem.hpp"

namespace heed {

struct TileShape {
  std::size_t rows = 0;  // of the largest tile
  std::size_t keys = 0;
  std::size_t score_chain = 0, value_chain = 0;  // see TileJob
};
TileShape choose_tile_shape(const KernelTable& kernels, const Problem& problem);

// Are the rows of a KV head so few that lanes had better hold channels and keys (kernels/few_rows.hpp)?
bool has_few_rows(const Problem& problem);
TileShape choose_few_rows_shape(const Problem& problem);

// The rows of one KV head, shared out among jobs: first groups of large tiles that take turns at each key
// tile, then what is left of the large tiles, then small tiles.
struct RowPartition {
  std::int64_t batch_items = 1;  // that share the KV head: beams
  std::int64_t job_count = 0;
  std::int64_t group_jobs = 0;  // jobs of group_rows rows
  std::int64_t group_rows = 0;
  std::int64_t large_jobs = 0;  // jobs of one large tile
  std::int64_t large_rows = 0;
  std::int64_t small_rows = 0;  // rows of each job after them
};
RowPartition partition_rows(std::int64_t rows, const KernelTable& kernels, bool shares_key_tiles);
RowPartition partition_few_rows(const Problem& problem);  // one job

// Is a KV head so large that its row tiles had better share its key tiles?
bool shares_key_tiles(const Problem& problem);

// Floats of scratch that one thread's kernel needs, of whichever kind; depends on the dims, not on q_len and
// kv_len.
std::size_t scratch_floats(const KernelTable& kernels, const Problem& problem);

}  // namespace heed
