// SPDX-License-Identifier: Apache-2.0
// Shares the work items among the threads. For each: rows, their spans, one job, one kernel call.
#include <limits>

#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "paths/scratch.hpp"
#include "paths/work_items.hpp"

namespace heed {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Run {
  const Plan& plan;
  const Problem& problem;
  std::byte* scratch;
};

// What every job of the call has in common.
TileJob make_job(const Plan& plan, const Problem& problem) {
  TileJob job{};
  job.k_token = problem.k.strides[2];
  job.k_channel = problem.k.strides[3];
  job.v_token = problem.v.strides[2];
  job.v_channel = problem.v.strides[3];
  job.q_channel = problem.q.strides[3];
  job.out_channel = problem.out.strides[3];
  job.weights_key = problem.weights.strides[3];
  job.bias_key = problem.bias.strides[3];
  job.mask_key = problem.visibility.mask_strides[3];
  job.key_mask_key = problem.visibility.key_mask_key;
  job.head_dim = static_cast<std::size_t>(problem.head_dim);
  job.value_dim = static_cast<std::size_t>(problem.value_dim);
  job.kv_len = problem.kv_len;
  job.mask_true_is_allowed = problem.visibility.mask_true_is_allowed;
  job.key_mask_true_is_allowed = problem.visibility.key_mask_true_is_allowed;
  job.has_slopes = problem.slopes != nullptr;
  job.scale = problem.scale;
  job.soft_cap = problem.soft_cap;
  job.keys_per_tile = plan.tile.keys;
  return job;
}

TileRow make_row(const Problem& problem, std::int64_t b, RowPlace place, KeySpan span) {
  const auto [h, i] = place;
  const Visibility& visibility = problem.visibility;
  TileRow row;
  row.q = problem.q.row(b, h, i);
  row.out = problem.out.row(b, h, i);
  row.lse = problem.lse ? problem.lse.row(b, h, i) : nullptr;
  row.weights = problem.weights ? problem.weights.row(b, h, i) : nullptr;
  row.bias = problem.bias ? problem.bias.row(b, h, i) : nullptr;
  row.mask = visibility.mask == nullptr ? nullptr
                                        : visibility.mask + (b * visibility.mask_strides[0] +
                                                             h * visibility.mask_strides[1] + i * visibility.mask_strides[2]);
  row.span_begin = span.begin;
  row.span_end = span.end;
  row.position = visibility.position(b, i);
  row.slope = problem.slopes != nullptr ? problem.slopes[h] : 0.0f;
  row.sink = problem.sinks != nullptr ? problem.sinks[h] : minus_infinity;
  return row;
}

void attend_items(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const auto& [plan, problem, scratch] = *static_cast<const Run*>(context);
  auto* const rows = static_cast<TileRow*>(thread_scratch(plan, scratch, thread));
  TileJob job = make_job(plan, problem);
  job.rows = rows;
  job.scratch = reinterpret_cast<float*>(rows + plan.tile.rows);
  for (std::int64_t index = begin; index < end; ++index) {
    const WorkItem item = work_item(plan, problem, index);
    const KeySpan batch_keys = problem.visibility.keys_of_batch(item.batch);
    KeySpan joint;
    KeySpan common{0, problem.kv_len};
    for (std::int64_t r = 0; r < item.rows; ++r) {
      const RowPlace place = row_place(problem, item.kv_head, item.first_row + r);
      const KeySpan span = intersection(batch_keys, problem.visibility.keys_of_row(item.batch, place.token));
      rows[r] = make_row(problem, item.batch, place, span);
      joint = hull(joint, span);
      common = intersection(common, span);
    }
    job.row_count = static_cast<std::size_t>(item.rows);
    job.k = problem.k.row(item.batch, item.kv_head, 0);
    job.v = problem.v.row(item.batch, item.kv_head, 0);
    job.key_mask = problem.visibility.key_mask == nullptr
                       ? nullptr
                       : problem.visibility.key_mask + item.batch * problem.visibility.key_mask_batch;
    job.keys_begin = joint.begin;
    job.keys_end = joint.end;
    job.full_begin = common.begin;
    job.full_end = common.end;
    plan.kernels->attend[static_cast<int>(DType::f32)](job);
  }
}

}  // namespace

Status run_streaming(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept {
  const Run run{plan, problem, scratch.data()};
  parallel_for(plan.items, plan.items_per_chunk, plan.threads, attend_items, &run);
  return {};
}

}  // namespace heed
