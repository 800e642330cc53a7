// SPDX-License-Identifier: Apache-2.0
#include "tabular/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "format.hpp"

namespace heed::perf {
namespace {

// Sums over train rows come in another order then, in three stages one after the other; vectors are of a few units.
// 300 rows leave 2.4e-6.
constexpr double most_rounding = 1e-5;

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    const double distance = std::abs(static_cast<double>(a[n]) - static_cast<double>(b[n]));
    largest = std::isnan(distance) ? std::numeric_limits<double>::infinity() : std::max(largest, distance);
  }
  return largest;
}

// Rows [begin, end) of all in reverse.
std::vector<std::int64_t> reversed_rows(std::int64_t all, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(all));
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin() + begin, order.begin() + end);
  return order;
}

std::vector<float> reversed_groups(const std::vector<float>& values, std::int64_t count) {
  std::vector<float> result;
  const auto size = values.size() / static_cast<std::size_t>(std::max<std::int64_t>(count, 1));
  for (std::int64_t n = count - 1; n >= 0; --n) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) * size);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

TabularCheck same_bits(const char* what, bool holds) { return {what, holds ? "the same bits" : "other bits", holds}; }
TabularCheck rounding(const char* what, double difference) {
  return {what, format("off by %.1e at most, of %.0e allowed", difference, most_rounding), difference <= most_rounding};
}

}  // namespace

std::vector<TabularCheck> check_rows(const ModelWeights& weights, const DataTable& table, std::int64_t train_rows,
                                     const Prediction& prediction, Path path, int threads) {
  const std::int64_t rows = table.rows(), test_rows = rows - train_rows;
  const auto again = [&](const std::vector<std::int64_t>& order) {
    Probe probe({path}, threads, false);
    return predict(weights, reordered(table, order), train_rows, probe);
  };
  std::vector<std::int64_t> known(static_cast<std::size_t>(train_rows));
  std::iota(known.begin(), known.end(), 0);
  const Prediction alone = again(known);
  const Prediction other_test = again(reversed_rows(rows, train_rows, rows));
  const Prediction other_train = again(reversed_rows(rows, 0, train_rows));
  return {
      same_bits("train rows without test rows", alone.train_rows == prediction.train_rows),
      same_bits("train rows with test rows in another order", other_test.train_rows == prediction.train_rows),
      rounding("test rows in another order: their classes",
               largest_difference(reversed_groups(other_test.probabilities, test_rows), prediction.probabilities)),
      rounding("train rows in another order: their vectors",
               largest_difference(reversed_groups(other_train.train_rows, train_rows), prediction.train_rows)),
      rounding("train rows in another order: classes of test rows",
               largest_difference(other_train.probabilities, prediction.probabilities)),
  };
}

}  // namespace heed::perf
