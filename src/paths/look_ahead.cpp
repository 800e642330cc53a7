// SPDX-License-Identifier: Apache-2.0
// Rows that touch each other are one list of lines; others are one list for every line of a row.
#include "paths/look_ahead.hpp"

namespace heed {
namespace {

constexpr std::int64_t line_floats = 16;

std::int64_t lines_for(std::int64_t floats) { return (floats + line_floats - 1) / line_floats; }

// Some rows of a head.
struct Rows {
  const float* first;
  std::int64_t count, stride, dim;

  bool touch() const { return stride == dim; }
  std::int64_t lines() const { return touch() ? lines_for(count * dim) : count * lines_for(dim); }
};

// A head's tensors: f(rows) for each. Queries and results of several heads on one KV head are few beside
// the work on them.
template <class Function>
void for_each_tensor(const Problem& p, std::int64_t batch, std::int64_t kv_head, Function f) {
  f(Rows{p.k.row(batch, kv_head, 0), p.kv_len, p.k.strides[2], p.head_dim});
  if (!p.has_classes) f(Rows{p.v.row(batch, kv_head, 0), p.kv_len, p.v.strides[2], p.value_dim});
  if (p.group > 1) return;
  f(Rows{p.q.row(batch, kv_head, 0), p.q_len, p.q.strides[2], p.head_dim});
  f(Rows{p.out.row(batch, kv_head, 0), p.q_len, p.out.strides[2], p.value_dim});
}

// Should fit a second-level cache; larger heads are read many times over once they are there.
bool fits_cache(const Problem& p) {
  constexpr double bytes = 512.0 * 1024.0;
  return 4.0 * static_cast<double>(p.kv_len + p.q_len * p.group) * static_cast<double>(p.head_dim + p.value_dim) <=
         bytes;
}

}  // namespace

LookAhead::LookAhead(const Plan& plan, const Problem& problem)
    : problem_(problem),
      is_useful_(problem.kv_len > 0 && lines_for(problem.head_dim) <= most_lines &&
                 lines_for(problem.value_dim) <= most_lines && fits_cache(problem)) {
  if (!is_useful_) return;
  std::int64_t lines = 0;
  for_each_tensor(problem, 0, 0, [&](const Rows& rows) { lines += rows.lines(); });
  const std::int64_t row_tiles =
      plan.rows.job_count + plan.rows.group_jobs * (static_cast<std::int64_t>(max_row_tiles) - 1);
  const std::int64_t keys = row_tiles * problem.kv_len;
  lines_.per_key = static_cast<std::size_t>((256 * lines + keys - 1) / keys);
}

LinesAhead* LookAhead::after(std::int64_t batch, std::int64_t kv_head) {
  if (!is_useful_) return nullptr;
  if (++kv_head == problem_.kv_heads) {
    kv_head = 0;
    ++batch;
  }
  if (batch >= problem_.batch) return nullptr;
  LinesAhead::List* list = lists_;
  for_each_tensor(problem_, batch, kv_head, [&](const Rows& rows) {
    if (rows.touch()) {
      *list++ = {rows.first, line_floats, static_cast<std::size_t>(rows.lines())};
    } else {
      for (std::int64_t c = 0; c < rows.dim; c += line_floats)
        *list++ = {rows.first + c, rows.stride, static_cast<std::size_t>(rows.count)};
    }
  });
  *list = {};
  lines_.next = lists_;
  lines_.due = 0;
  return &lines_;
}

}  // namespace heed
