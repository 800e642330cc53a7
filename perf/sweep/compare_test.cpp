// SPDX-License-Identifier: Apache-2.0
// --compare on made-up runs: finds a planted slowdown, and none in a rerun.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "random_numbers.hpp"
#include "sweep/arguments.hpp"
#include "sweep/compare.hpp"
#include "sweep/csv.hpp"
#include "sweep/report.hpp"
#include "sweep/temporary_file.hpp"
#include "timer.hpp"

namespace heed::perf {
namespace {

Row row_of(double median_us, double spread_pct) {
  Row row;
  row.preset = "square";
  row.spec = "b=1 h=1:1 n=2:2 d=4:4";
  row.path = "streaming";
  row.isa = "avx2";
  row.status = "ok";
  row.is_measured = true;
  row.median_us = median_us;
  row.spread_pct = spread_pct;
  row.flops_per_byte = 50.0;
  row.peak_gflops = 100.0;
  row.read_gbytes_s = 10.0;
  return row;
}

Change change_between(const Row& before, const Row& after) {
  return compare(figure_of(before), figure_of(after)).change;
}

// A row whose samples scatter by sigma, of a run in which everything takes `drift` times as long.
Row sampled_row(Random& random, double seconds, double sigma, double drift) {
  std::vector<double> samples;
  for (int sample = 0; sample < 7; ++sample) samples.push_back(seconds * drift * (1.0 + sigma * random.normal()));
  Row row = row_of(1e6 * median(samples), 0.0);
  row.spread_pct = 100.0 * (percentile(samples, 0.9) - percentile(samples, 0.1)) / median(samples);
  row.is_busy = row.spread_pct > busy_above_spread_pct;
  return row;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = csv_header() + "\n";
  for (const Row& row : rows) text += csv_line(row) + "\n";
  return text;
}

std::string message_of(const std::string& csv) {
  const TemporaryFile file(csv);
  try {
    read_figures(file.path());
  } catch (const ArgumentError& error) {
    std::string message = error.message;
    return message.replace(message.find(file.path()), file.path().size(), "FILE");
  }
  return "";
}

}  // namespace

TEST_CASE("ten per cent more are a slowdown, whatever spread a quiet row has") {
  for (const double spread : {0.1, 3.0, 6.0, 10.0}) {
    CAPTURE(spread);
    CHECK(change_between(row_of(100.0, spread), row_of(110.0, spread)) == Change::slower);
    CHECK(change_between(row_of(110.0, spread), row_of(100.0, spread)) == Change::faster);
  }
}

TEST_CASE("less than the margin is none, and the margin grows with both spreads") {
  CHECK(change_between(row_of(100.0, 0.1), row_of(104.9, 0.1)) == Change::none);
  CHECK(change_between(row_of(100.0, 0.1), row_of(105.1, 0.1)) == Change::slower);
  CHECK(change_between(row_of(100.0, 10.0), row_of(107.0, 10.0)) == Change::none);
  CHECK(change_between(row_of(100.0, 10.0), row_of(107.2, 10.0)) == Change::slower);
  CHECK(compare(figure_of(row_of(1.0, 6.0)), figure_of(row_of(1.0, 8.0))).margin == doctest::Approx(0.05));
  CHECK(compare(figure_of(row_of(1.0, 12.0)), figure_of(row_of(1.0, 16.0))).margin == doctest::Approx(0.10));
}

TEST_CASE("of 2000 rows with noise, a rerun shows none slower and a planted slowdown shows all") {
  Random random(7);
  int judged = 0, slower_in_rerun = 0, planted_found = 0;
  for (int index = 0; index < 2000; ++index) {
    const double sigma = 0.001 + 0.014 * random.uniform();  // spreads up to some 4 %
    const Row before = sampled_row(random, 1e-3, sigma, 1.0 + 0.01 * random.uniform());
    const Row after = sampled_row(random, 1e-3, sigma, 1.0 + 0.01 * random.uniform());
    Row planted = after;
    planted.median_us *= 1.1;
    if (change_between(before, after) == Change::not_judged) continue;
    ++judged;
    slower_in_rerun += change_between(before, after) == Change::slower;
    planted_found += change_between(before, planted) == Change::slower;
  }
  CHECK(judged > 1990);
  CHECK(slower_in_rerun == 0);
  CHECK(planted_found >= judged * 97 / 100);
}

TEST_CASE("busy rows are not judged") {
  Row busy = row_of(200.0, 1.0);
  busy.is_busy = true;
  CHECK(change_between(row_of(100.0, 1.0), busy) == Change::not_judged);
  CHECK(change_between(busy, row_of(100.0, 1.0)) == Change::not_judged);
}

TEST_CASE("what the machine itself lost is no slowdown, by the roof that is above the row") {
  Row slow_clock = row_of(115.0, 1.0);
  slow_clock.peak_gflops = 88.0;
  CHECK(change_between(row_of(100.0, 1.0), slow_clock) == Change::none);
  slow_clock.median_us = 125.0;
  CHECK(change_between(row_of(100.0, 1.0), slow_clock) == Change::slower);
  // Below the memory's roof the peak does not matter, and the bandwidth does.
  Row before = row_of(100.0, 1.0), after = row_of(115.0, 1.0);
  before.flops_per_byte = after.flops_per_byte = 1.0;
  after.peak_gflops = 88.0;
  CHECK(change_between(before, after) == Change::slower);
  after.read_gbytes_s = 8.8;
  CHECK(change_between(before, after) == Change::none);
}

TEST_CASE("rows are paired by preset, spec, path, ISA, threads and cache") {
  const Row row = row_of(100.0, 1.0);
  std::vector<Row> others(6, row);
  others[0].preset = "other";
  others[1].spec += " causal";
  others[2].path = "onednn";
  others[3].isa = "baseline";
  others[4].threads = 2;
  others[5].is_cold = true;
  const Comparisons apart = compare(figures_of({row}), figures_of(others));
  CHECK(apart.rows.empty());
  CHECK(apart.only_before == 1);
  CHECK(apart.only_after == 6);
  others.push_back(row);
  CHECK(compare(figures_of({row}), figures_of(others)).rows.size() == 1);
  others[6].is_failed = true;
  CHECK(compare(figures_of({row}), figures_of(others)).rows.empty());
}

TEST_CASE("a CSV that was written is read again, and one of an older version too") {
  Row cold = row_of(250.5, 3.5);
  cold.is_cold = true;
  Row busy = row_of(100.0, 1.0);
  busy.is_busy = true;
  busy.status = "ok busy";
  Row refused = row_of(0.0, 0.0);
  refused.is_measured = false;
  refused.status = "k: dimension 1 is 2, expected 3";
  const TemporaryFile file(csv_of({cold, busy, refused}));
  const std::vector<Figure> figures = read_figures(file.path());
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].is_same_row(figure_of(cold)));
  CHECK(figures[0].median_us == 250.5);
  CHECK(figures[0].spread_pct == 3.5);
  CHECK(figures[0].attainable == doctest::Approx(100.0));
  CHECK(figures[1].is_busy);

  const TemporaryFile old("preset,spec,path,isa,threads,median_us,spread_pct,status\na,b=1,streaming,avx2,1,5,1,ok\n");
  const std::vector<Figure> old_figures = read_figures(old.path());
  REQUIRE(old_figures.size() == 1);
  CHECK(old_figures[0].cache == "warm");
  CHECK(old_figures[0].attainable == 0.0);
}

TEST_CASE("what is no CSV of a sweep is refused by line and column") {
  CHECK(message_of("") == "--compare: 'FILE' is empty, expected a CSV of heed-sweep");
  CHECK(message_of("a,b\n1,2\n") == "--compare: FILE:1: no column 'status', expected a CSV of heed-sweep");
  std::string text = csv_of({row_of(100.0, 1.0)});
  CHECK(message_of(text + "a,b\n") == "--compare: FILE:3: 2 fields, expected 24");
  text.replace(text.find("100.000"), 7, "fast");
  CHECK(message_of(text) == "--compare: FILE:2: median_us is 'fast', expected a number");
  CHECK_THROWS_AS(read_figures("/nonexistent/old.csv"), ArgumentError);
}

TEST_CASE("fields survive being written as CSV and read") {
  const std::vector<std::string> fields = {"plain", "a,b", "say \"no\"", "", "two\nlines"};
  std::string text;
  for (const std::string& field : fields) text.append(text.empty() ? "" : ",").append(csv_field(field));
  std::istringstream stream(text + "\r\n\nnext");
  const auto lines = read_csv(stream);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].fields == fields);
  CHECK(lines[1].fields == std::vector<std::string>{"next"});
  CHECK(lines[1].number == 4);
}

}  // namespace heed::perf
