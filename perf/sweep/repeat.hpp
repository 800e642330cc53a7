// SPDX-License-Identifier: Apache-2.0
// Rows that can't be judged are measured again, up to a limit.
#pragma once

#include <functional>
#include <vector>

#include "sweep/compare.hpp"
#include "sweep/measure.hpp"

namespace heed::perf {

// measure(0), then measure(1) to measure(retries) as long as a row is busy, or slower than the same row
// of `before`. Answers the best of each row: not busy before busy, not slower before slower, then the
// least spread. A row that was wrong once stays wrong.
std::vector<Row> repeat_while_in_doubt(const std::vector<Figure>& before, int retries,
                                       const std::function<std::vector<Row>(int attempt)>& measure);

}  // namespace heed::perf
