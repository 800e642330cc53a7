// SPDX-License-Identifier: Apache-2.0
// How the heads and rows of a call are cut into score blocks.
#include "plan/score_block.hpp"

#include <algorithm>

namespace heed {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The largest part of `count` not above `most` that cuts it evenly: 12 by 8 gives 6 and 6, not 8 and 4.
std::int64_t even_part(std::int64_t count, std::int64_t most) {
  return divide_up(count, divide_up(count, std::clamp<std::int64_t>(most, 1, count)));
}

// Do the rows of a KV head's query heads lie in equal steps?
bool rows_join(const Dims& strides, std::int64_t q_len) { return q_len == 1 || strides[1] == q_len * strides[2]; }

// The matrices of a tensor's units in one batch item; `heads` heads of the tensor make one.
Matrices unit_matrices(const Dims& strides, std::int64_t units, std::int64_t heads, std::int64_t tokens,
                       std::int64_t columns) {
  const std::int64_t row_stride = tokens == 1 ? strides[1] : strides[2];
  return {units, heads * tokens, columns, heads * strides[1], row_stride, strides[3]};
}

// One unit a batch item steps by batch items.
void join_batch(Matrices& m, const Dims& strides, std::int64_t batch) {
  if (m.count == 1) m.count_stride = strides[0];
  m.count *= batch;
}

bool can_join_batch(const Matrices& m, const Dims& strides) {
  return m.count == 1 ? strides[0] > 0 : strides[0] == m.count * m.count_stride;
}

// Batch items may see different keys, and nothing outside what an item sees is read.
bool has_rules_of_batch(const Visibility& rules) {
  return rules.lengths != nullptr || rules.key_mask != nullptr || rules.offsets != nullptr;
}

}  // namespace

ScoreBlock choose_score_block(const Problem& p) {
  ScoreBlock block;
  block.joins_group = p.group > 1 && rows_join(p.q.strides, p.q_len) && rows_join(p.out.strides, p.q_len);
  const std::int64_t heads = block.joins_group ? p.group : 1;
  const std::int64_t units = p.q_heads / heads;
  block.q = unit_matrices(p.q.strides, units, heads, p.q_len, p.head_dim);
  block.k = unit_matrices(p.k.strides, units, 1, p.kv_len, p.head_dim);
  block.v = unit_matrices(p.v.strides, units, 1, p.kv_len, p.value_dim);
  block.out = unit_matrices(p.out.strides, units, heads, p.q_len, p.value_dim);

  const std::pair<Matrices*, const Dims*> tensors[] = {
      {&block.q, &p.q.strides}, {&block.k, &p.k.strides}, {&block.v, &p.v.strides}, {&block.out, &p.out.strides}};
  bool can_stack = p.group == 1 || block.joins_group;  // a K and V for every unit
  block.joins_batch = p.batch > 1 && can_stack && !has_rules_of_batch(p.visibility);
  for (const auto& [matrices, strides] : tensors) {
    can_stack = can_stack && (units == 1 || matrices->count_stride > 0);
    block.joins_batch = block.joins_batch && can_join_batch(*matrices, *strides);
  }
  if (block.joins_batch)
    for (const auto& [matrices, strides] : tensors) join_batch(*matrices, *strides, p.batch);
  block.stacks = block.joins_batch ? 1 : p.batch;
  block.stack_units = block.q.count;
  block.unit_rows = block.q.rows;

  // Stacks of 512 KiB and rows of 1 MiB of scores: from 128 KiB to 4 MiB products and softmax run within 5 %
  // of that on square-d64-n1024 (AVX2, oneDNN 2.6); small heads in stacks of 4 MiB fall out of the cache and
  // lose a third. Fewer than 64 rows would not fill a product.
  constexpr std::int64_t stack_bytes = std::int64_t{512} << 10, rows_bytes = std::int64_t{1} << 20, least_rows = 64;
  const std::int64_t row_bytes = 4 * std::max<std::int64_t>(p.kv_len, 1);
  const std::int64_t most_rows = std::max(std::min(least_rows, score_budget / row_bytes), rows_bytes / row_bytes);
  const std::int64_t rows = even_part(block.unit_rows, most_rows);
  const bool is_whole = rows == block.unit_rows;
  const std::int64_t most_units = can_stack && is_whole ? stack_bytes / (row_bytes * rows) : 1;
  const std::int64_t block_units = even_part(block.stack_units, most_units);
  block.q.rows = block.out.rows = rows;
  for (const auto& [matrices, strides] : tensors) matrices->count = block_units;
  return block;
}

BlockScratch block_scratch(const Problem& p, const ScoreBlock& block) {
  const auto copied = [](const Matrices& m) { return is_plain(m) ? 0 : m.elements(); };
  const std::int64_t rows = block.units() * block.rows();
  return {.scores = rows * p.kv_len,
          .largest = rows,
          .q = copied(block.q),
          .k = copied(block.k),
          .v = copied(block.v),
          .out = copied(block.out)};
}

}  // namespace heed
