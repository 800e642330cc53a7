// SPDX-License-Identifier: Apache-2.0
// Which rows are measured again, and which measurement of a row is kept; the measurements are made up.
#include "sweep/repeat.hpp"

#include <doctest/doctest.h>

#include <string>

namespace heed::perf {
namespace {

Row row_of(double median_us, double spread_pct, bool is_slow_core = false) {
  Row row;
  row.preset = "square";
  row.is_measured = true;
  row.median_us = median_us;
  row.spread_pct = spread_pct;
  row.is_busy = is_busy(is_slow_core ? busy_below - 0.1 : busy_below, spread_pct);
  return row;
}

struct Outcome {
  Row kept;
  std::size_t measurements = 0;
};

// One row, measured as the list says.
Outcome outcome_of(const std::vector<Row>& attempts, const std::vector<Figure>& before = {}) {
  Outcome outcome;
  const auto measure = [&](int attempt) {
    ++outcome.measurements;
    return std::vector<Row>{attempts.at(static_cast<std::size_t>(attempt))};
  };
  outcome.kept = repeat_while_in_doubt(before, static_cast<int>(attempts.size()) - 1, measure).front();
  return outcome;
}

}  // namespace

TEST_CASE("a row is busy when its samples lie far apart or its core was shared") {
  CHECK_FALSE(row_of(100.0, 10.0).is_busy);
  CHECK(row_of(100.0, 10.1).is_busy);
  CHECK(row_of(100.0, 1.0, true).is_busy);
}

TEST_CASE("a quiet row is measured once") {
  CHECK(outcome_of({row_of(100.0, 2.0), row_of(1.0, 1.0)}).measurements == 1);
}

TEST_CASE("a busy row is measured until it is quiet, and the quiet one is kept") {
  const Outcome outcome =
      outcome_of({row_of(90.0, 20.0), row_of(95.0, 1.0, true), row_of(100.0, 9.0), row_of(1.0, 1.0)});
  CHECK(outcome.measurements == 3);
  CHECK(outcome.kept.median_us == 100.0);
}

TEST_CASE("of rows that stay busy the one with the least spread is kept, as busy") {
  const Outcome outcome = outcome_of({row_of(90.0, 20.0), row_of(95.0, 12.0), row_of(80.0, 30.0)});
  CHECK(outcome.measurements == 3);
  CHECK(outcome.kept.median_us == 95.0);
  CHECK(outcome.kept.is_busy);
}

TEST_CASE("a row that seems slower than before must be so each time") {
  const std::vector<Figure> before = {figure_of(row_of(100.0, 1.0))};
  const Outcome luck = outcome_of({row_of(115.0, 1.0), row_of(101.0, 3.0), row_of(100.0, 1.0)}, before);
  CHECK(luck.measurements == 2);
  CHECK(luck.kept.median_us == 101.0);
  const Outcome slower = outcome_of({row_of(115.0, 1.0), row_of(114.0, 2.0), row_of(113.0, 3.0)}, before);
  CHECK(slower.measurements == 3);
  CHECK(slower.kept.median_us == 115.0);
}

TEST_CASE("a wrong row stays wrong, and one that did not run is not tried again") {
  Row wrong = row_of(100.0, 20.0);
  wrong.is_failed = true;
  CHECK(outcome_of({wrong, row_of(100.0, 1.0)}).kept.is_failed);
  CHECK(outcome_of({row_of(100.0, 20.0), wrong}).kept.is_failed);
  Row refused;
  refused.is_failed = true;
  CHECK(outcome_of({refused, row_of(100.0, 1.0)}).measurements == 1);
}

}  // namespace heed::perf
