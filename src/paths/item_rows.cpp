// SPDX-License-Identifier: Apache-2.0
// Small problems have many items of a microsecond each, so what is the same for all is worked out once.
#include "paths/item_rows.hpp"

#include <algorithm>
#include <limits>

namespace heed {

TileJob make_job(const Plan& plan, const Problem& problem) {
  TileJob job{};
  job.k_token = problem.k.strides[2];
  job.k_channel = problem.head_dim == 1 ? 1 : problem.k.strides[3];  // one channel lies side by side with itself
  job.v_token = problem.v.strides[2];
  job.v_channel = problem.value_dim == 1 ? 1 : problem.v.strides[3];
  job.class_key = problem.class_key;
  job.q_channel = problem.q.strides[3];
  job.out_channel = problem.out.strides[3];
  job.weights_key = problem.weights.strides[3];
  job.bias_key = problem.bias.strides[3];
  job.mask_key = problem.visibility.mask_strides[3];
  job.key_mask_key = problem.visibility.key_mask_key;
  job.head_dim = static_cast<std::size_t>(problem.head_dim);
  job.value_dim = static_cast<std::size_t>(problem.value_dim);
  job.keys_end = problem.kv_len;
  job.mask_true_is_allowed = problem.visibility.mask_true_is_allowed;
  job.key_mask_true_is_allowed = problem.visibility.key_mask_true_is_allowed;
  job.has_slopes = problem.slopes != nullptr;
  job.has_sinks = problem.sinks != nullptr;
  job.has_row_spans = problem.visibility.has_row_spans() || plan.rows.batch_items > 1;
  job.scale = problem.scale;
  job.soft_cap = problem.soft_cap;
  job.keys_per_tile = plan.tile.keys;
  job.score_chain = plan.tile.score_chain;
  job.value_chain = plan.tile.value_chain;
  return job;
}

ItemRows::ItemRows(const Plan& plan, const Problem& problem, TileRow* rows)
    : problem_(problem),
      rows_(rows),
      has_terms_(problem.wants_lse || problem.wants_weights || problem.bias || problem.visibility.mask != nullptr ||
                 problem.slopes != nullptr || problem.sinks != nullptr) {
  TileRow plain{};
  plain.sink = -std::numeric_limits<float>::infinity();
  const bool has_large_items = plan.has_few_rows || plan.rows.group_jobs > 0;
  std::fill_n(rows, has_large_items ? most_item_rows(plan) : plan.tile.rows, plain);
}

void ItemRows::set_terms(const RowPlace& place, TileRow& row) const {
  const auto [b, h, i] = place;
  const Visibility& visibility = problem_.visibility;
  if (problem_.lse) row.lse = problem_.lse.row(b, h, i);
  if (problem_.weights) row.weights = problem_.weights.row(b, h, i);
  if (problem_.bias) row.bias = problem_.bias.row(b, h, i);
  if (visibility.mask != nullptr)
    row.mask = visibility.mask +
               (b * visibility.mask_strides[0] + h * visibility.mask_strides[1] + i * visibility.mask_strides[2]);
  if (problem_.slopes != nullptr) {
    row.position = visibility.position(b, i);
    row.slope = problem_.slopes[h];
  }
  if (problem_.sinks != nullptr) row.sink = problem_.sinks[h];
}

void ItemRows::set(const WorkItem& item, TileJob& job) const {
  const Visibility& visibility = problem_.visibility;
  const bool has_row_spans = visibility.has_row_spans();
  job.rows = rows_;
  job.row_count = static_cast<std::size_t>(item.rows);
  job.k = problem_.k.row(item.batch, item.kv_head, 0);
  job.v = problem_.v.row(item.batch, item.kv_head, 0);
  job.classes = problem_.classes_of(item.batch);
  job.key_mask =
      visibility.key_mask == nullptr ? nullptr : visibility.key_mask + item.batch * visibility.key_mask_batch;
  RowPlace place = first_place(problem_, item);
  KeySpan batch_keys = visibility.keys_of_batch(item.batch);
  for (std::int64_t r = 0; r < item.rows; ++r) {
    TileRow& row = rows_[r];
    if (r > 0 && problem_.group == 1 && place.token > 0) {  // six products less a row
      row.q = rows_[r - 1].q + problem_.q.strides[2];
      row.out = rows_[r - 1].out + problem_.out.strides[2];
    } else {
      row.q = problem_.q.row(place.batch, place.head, place.token);
      row.out = problem_.out.row(place.batch, place.head, place.token);
    }
    const KeySpan span =
        has_row_spans ? intersection(batch_keys, visibility.keys_of_row(place.batch, place.token)) : batch_keys;
    row.span_begin = span.begin;
    row.span_end = span.end;
    if (has_terms_) set_terms(place, row);
    const std::int64_t batch = place.batch;
    place = next_place(problem_, item, place);
    if (place.batch != batch && r + 1 < item.rows) batch_keys = visibility.keys_of_batch(place.batch);
  }
}

}  // namespace heed
