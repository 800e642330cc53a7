// SPDX-License-Identifier: Apache-2.0
// One row of a score block: what becomes of its products before the softmax, and what is read off after.
#pragma once

#include <vector>

#include "mask/mask.hpp"
#include "plan/problem.hpp"

namespace heed {

struct ScoreRow {
  float* cells;  // of keys [keys.begin, keys.end), side by side; scores first, weights after the softmax
  KeySpan keys;
  std::int64_t batch, head, token;
};

// Which cells of a row are hidden: allows(), cell by cell, asked again only where a row may differ from the
// one before.
class HiddenCells {
 public:
  explicit HiddenCells(const Problem& problem);
  void apply(const ScoreRow& row);  // minus infinity in their place

 private:
  const Problem& problem_;
  const bool has_rules_, depend_on_head_, depend_on_token_;
  bool is_known_ = false;
  std::int64_t batch_ = 0, head_ = 0, token_ = 0;
  std::vector<char> is_hidden_;
};

// Of the numbers in a row. largest: -inf if nothing is seen, NaN if all that is seen is NaN.
struct ScoreRange {
  float smallest, largest;
};

// Soft cap, bias and slopes, then hidden cells.
ScoreRange edit_scores(const Problem& problem, const ScoreRow& row, HiddenCells& hidden);

// oneDNN's softmax gives 0 where exp(score - largest) is in the last binade of normal numbers, 2^-126 to
// 2^-125. Such keys are noted before it, for the few rows that have any, and put right after it.
struct FaintKey {
  std::int64_t row;   // of the block
  std::int64_t cell;  // of the row
  float share;        // of the row's largest weight
};
void find_faint_keys(const ScoreRow& row, std::int64_t number, ScoreRange range, std::vector<FaintKey>& faint);
void restore(const ScoreRow& row, const FaintKey& key);

// After the softmax: takes the sink's share from the weights, empties a row that sees nothing, writes lse
// and weights. Answers whether lse is a number, where there is one to look at.
bool finish_row(const Problem& problem, const ScoreRow& row, float largest);

// Does the row, of edited scores, see a score that is NaN or plus infinity, or a key whose value is bad?
bool sees_bad_numbers(const ScoreRow& row, const char* is_bad_value);

// Weights, out and lse of such a row, from edited scores, in plain loops as the reference has them.
void attend_with_care(const Problem& problem, const ScoreRow& row);

}  // namespace heed
