// SPDX-License-Identifier: Apache-2.0
// See repeat.hpp.
#include "sweep/repeat.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heed::perf {

std::vector<Row> repeat_while_in_doubt(const std::vector<Figure>& before, int retries,
                                       const std::function<std::vector<Row>(int attempt)>& measure) {
  const auto is_slower = [&](const Row& row) { return compare(before, figures_of({row})).count(Change::slower) > 0; };
  const auto is_in_doubt = [&](const Row& row) { return row.is_measured && (row.is_busy || is_slower(row)); };
  const auto rank = [&](const Row& row) {
    return std::tuple(!row.is_failed, row.is_busy, is_slower(row), row.spread_pct);
  };
  std::vector<Row> best = measure(0);
  for (int attempt = 1; attempt <= retries && std::any_of(best.begin(), best.end(), is_in_doubt); ++attempt) {
    std::vector<Row> rows = measure(attempt);
    for (std::size_t index = 0; index < best.size(); ++index)
      if (rank(rows[index]) < rank(best[index])) best[index] = std::move(rows[index]);
  }
  return best;
}

}  // namespace heed::perf
