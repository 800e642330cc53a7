// SPDX-License-Identifier: Apache-2.0
// Shares the work items among the threads. For each: rows, their spans, one job, one kernel call.
#include <algorithm>
#include <limits>

#include "paths/look_ahead.hpp"
#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "paths/scratch.hpp"
#include "paths/work_items.hpp"

namespace heed {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

static_assert(sizeof(TileRow) % 16 == 0, "a tile's rows must leave the kernel's scratch aligned");

struct Run {
  const Plan& plan;
  const Problem& problem;
  std::byte* scratch;
};

// What every job of the call has in common.
TileJob make_job(const Plan& plan, const Problem& problem) {
  TileJob job{};
  job.k_token = problem.k.strides[2];
  job.k_channel = problem.head_dim == 1 ? 1 : problem.k.strides[3];  // one channel lies side by side with itself
  job.v_token = problem.v.strides[2];
  job.v_channel = problem.value_dim == 1 ? 1 : problem.v.strides[3];
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
  job.has_sinks = problem.sinks != nullptr;
  job.has_row_spans = problem.visibility.has_row_spans();
  job.scale = problem.scale;
  job.soft_cap = problem.soft_cap;
  job.keys_per_tile = plan.tile.keys;
  job.score_chain = plan.tile.score_chain;
  job.value_chain = plan.tile.value_chain;
  return job;
}

// What only some calls have.
bool has_row_terms(const Problem& problem) {
  return problem.wants_lse || problem.wants_weights || problem.bias || problem.visibility.mask != nullptr ||
         problem.slopes != nullptr || problem.sinks != nullptr;
}

void set_row_terms(const Problem& problem, std::int64_t b, RowPlace place, TileRow& row) {
  const auto [h, i] = place;
  const Visibility& visibility = problem.visibility;
  if (problem.lse) row.lse = problem.lse.row(b, h, i);
  if (problem.weights) row.weights = problem.weights.row(b, h, i);
  if (problem.bias) row.bias = problem.bias.row(b, h, i);
  if (visibility.mask != nullptr)
    row.mask = visibility.mask +
               (b * visibility.mask_strides[0] + h * visibility.mask_strides[1] + i * visibility.mask_strides[2]);
  if (problem.slopes != nullptr) {
    row.position = visibility.position(b, i);
    row.slope = problem.slopes[h];
  }
  if (problem.sinks != nullptr) row.sink = problem.sinks[h];
}

// The rows of one item, token by token over the heads of its group. Small problems have many items of a
// microsecond each, so what is the same for all rows is worked out once.
void set_rows(const Problem& problem, const WorkItem& item, bool has_terms, TileRow* rows) {
  const KeySpan batch_keys = problem.visibility.keys_of_batch(item.batch);
  const bool has_row_spans = problem.visibility.has_row_spans();
  const std::int64_t first_head = item.kv_head * problem.group;
  RowPlace place = row_place(problem, item.kv_head, item.first_row);
  for (std::int64_t r = 0; r < item.rows; ++r) {
    TileRow& row = rows[r];
    row.q = problem.q.row(item.batch, place.head, place.token);
    row.out = problem.out.row(item.batch, place.head, place.token);
    const KeySpan span =
        has_row_spans ? intersection(batch_keys, problem.visibility.keys_of_row(item.batch, place.token)) : batch_keys;
    row.span_begin = span.begin;
    row.span_end = span.end;
    if (has_terms) set_row_terms(problem, item.batch, place, row);
    if (++place.head == first_head + problem.group) place = {first_head, place.token + 1};
  }
}

void attend_items(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const auto& [plan, problem, scratch] = *static_cast<const Run*>(context);
  const std::size_t row_capacity = max_row_tiles * plan.tile.rows;
  auto* const rows = static_cast<TileRow*>(thread_scratch(plan, scratch, thread));
  TileRow plain{};
  plain.sink = minus_infinity;
  std::fill_n(rows, plan.rows.group_jobs > 0 ? row_capacity : plan.tile.rows, plain);
  const bool has_terms = has_row_terms(problem);

  TileJob job = make_job(plan, problem);
  job.rows = rows;
  job.scratch = reinterpret_cast<float*>(rows + row_capacity);
  LookAhead look_ahead(plan, problem);
  const auto attend = plan.kernels->attend[static_cast<int>(DType::f32)];
  for (std::int64_t index = begin; index < end; ++index) {
    const WorkItem item = work_item(plan, problem, index);
    set_rows(problem, item, has_terms, rows);
    job.row_count = static_cast<std::size_t>(item.rows);
    job.k = problem.k.row(item.batch, item.kv_head, 0);
    job.v = problem.v.row(item.batch, item.kv_head, 0);
    job.key_mask = problem.visibility.key_mask == nullptr
                       ? nullptr
                       : problem.visibility.key_mask + item.batch * problem.visibility.key_mask_batch;
    if (item.first_row == 0) job.ahead = look_ahead.after(item.batch, item.kv_head);
    attend(job);
  }
}

}  // namespace

Status run_streaming(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept {
  const Run run{plan, problem, scratch.data()};
  parallel_for(plan.items, plan.items_per_chunk, plan.threads, attend_items, &run);
  return {};
}

}  // namespace heed
