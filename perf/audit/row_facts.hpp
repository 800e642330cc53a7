// SPDX-License-Identifier: Apache-2.0
// What can be known about a row without attending: which keys it may see, and how large its numbers
// are. Written from the rules anew, so that it does not share the library's mistakes.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/call.hpp"

namespace heed::audit {

// May row (b, h, i) not read key j? By lengths, masks, position, and a bias of minus infinity.
bool is_hidden(const Call& call, const RowPlace& row, std::int64_t key);

struct RowFacts {
  double magnitude = 0.0;  // A of error_bound(): the largest |scale| * sum|q_c k_c| + |bias| of a visible key
  double max_abs_v = 0.0;  // over visible keys
  std::int64_t visible = 0;

  // NaN or infinity among the numbers that make the scores: the weights are not judged.
  bool has_finite_scores() const;
  double out_bound(Path path = Path::streaming) const;
  // A score is off by as much as the bound for v = 1; a sum of `visible` terms adds their logarithm
  // to the numbers that are rounded.
  double lse_bound(Path path = Path::streaming) const;
};

class AllRowFacts {
 public:
  AllRowFacts(const Call& call, int threads);  // 0: as many as there are
  const RowFacts& at(const RowPlace& row) const;
  const std::vector<RowFacts>& all() const { return facts_; }

 private:
  Sizes sizes_;
  std::vector<RowFacts> facts_;  // [batch, q_heads, q_len]
};

}  // namespace heed::audit
