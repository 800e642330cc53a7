// SPDX-License-Identifier: Apache-2.0
// The part of the score matrix that the oneDNN path holds at a time: a stack of equal matrices, so that one
// product of oneDNN covers as many heads as fit.
#pragma once

#include <cstdint>

#include "plan/matrices.hpp"
#include "plan/problem.hpp"

namespace heed {

// A unit is what shares one K and V: a query head, or all query heads of a KV head where their rows lie in
// equal steps. The units of one batch item, or of all, form a stack, which is cut into blocks.
struct ScoreBlock {
  bool joins_group = false;  // a unit's rows are those of all query heads of its KV head, head by head
  bool joins_batch = false;  // one stack for all batch items
  std::int64_t stacks = 0;
  std::int64_t stack_units = 0;
  std::int64_t unit_rows = 0;

  // Of the largest block. Rows of k and v are keys.
  Matrices q, k, v, out;
  std::int64_t units() const { return q.count; }
  std::int64_t rows() const { return q.rows; }

  std::int64_t unit_blocks() const { return (stack_units + units() - 1) / units(); }
  std::int64_t row_blocks() const { return (unit_rows + rows() - 1) / rows(); }
  std::int64_t blocks() const { return stacks * unit_blocks() * row_blocks(); }
};

// Bytes of scores that a thread holds at most, but for a single row longer than that.
inline constexpr std::int64_t score_budget = std::int64_t{8} << 20;

// The problem is not empty.
ScoreBlock choose_score_block(const Problem& problem);

// Floats of scratch for one thread: scores, the largest of each row, and copies of what isn't plain.
struct BlockScratch {
  std::int64_t scores = 0, largest = 0, q = 0, k = 0, v = 0, out = 0;
  std::int64_t total() const { return scores + largest + q + k + v + out; }
};
BlockScratch block_scratch(const Problem& problem, const ScoreBlock& block);

}  // namespace heed
