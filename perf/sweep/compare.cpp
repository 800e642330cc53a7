// SPDX-License-Identifier: Apache-2.0
// The rule stands in compare.hpp; its tests are in compare_test.cpp.
#include "sweep/compare.hpp"

#include <algorithm>
#include <cmath>

#include "sweep/report.hpp"

namespace heed::perf {
namespace {

constexpr double least_margin = 0.05;

const char* change_name(Change change) {
  switch (change) {
    case Change::slower: return "SLOWER";
    case Change::faster: return "faster";
    case Change::not_judged: return "busy: not judged";
    case Change::none: break;
  }
  return "same";
}

Change change_of(const Compared& compared) {
  if (compared.before.is_busy || compared.after.is_busy) return Change::not_judged;
  if (compared.ratio > (1.0 + compared.margin) * std::max(1.0, compared.machine)) return Change::slower;
  if (compared.ratio * (1.0 + compared.margin) < std::min(1.0, compared.machine)) return Change::faster;
  return Change::none;
}

const std::string& name_of(const Figure& figure) { return figure.preset == "-" ? figure.spec : figure.preset; }

}  // namespace

bool Figure::is_same_row(const Figure& other) const {
  return preset == other.preset && spec == other.spec && path == other.path && isa == other.isa &&
         cache == other.cache && threads == other.threads;
}

Figure figure_of(const Row& row) {
  return {row.preset,
          row.spec,
          row.path,
          row.isa,
          row.is_cold ? "cold" : "warm",
          row.threads,
          row.median_us,
          row.spread_pct,
          std::min(row.peak_gflops, row.flops_per_byte * row.read_gbytes_s),
          row.is_busy};
}

std::vector<Figure> figures_of(const std::vector<Row>& rows) {
  std::vector<Figure> figures;
  for (const Row& row : rows)
    if (row.is_measured && !row.is_failed) figures.push_back(figure_of(row));
  return figures;
}

Compared compare(const Figure& before, const Figure& after) {
  Compared compared{before, after};
  compared.ratio = after.median_us / before.median_us;
  if (before.attainable > 0.0 && after.attainable > 0.0) compared.machine = before.attainable / after.attainable;
  compared.margin = std::max(least_margin, 0.5 * std::hypot(before.spread_pct, after.spread_pct) / 100.0);
  compared.change = change_of(compared);
  return compared;
}

std::size_t Comparisons::count(Change change) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Compared& row) { return row.change == change; }));
}

Comparisons compare(const std::vector<Figure>& before, const std::vector<Figure>& after) {
  Comparisons comparisons;
  std::vector<bool> is_matched(before.size(), false);
  for (const Figure& figure : after) {
    const auto same =
        std::find_if(before.begin(), before.end(), [&](const Figure& other) { return figure.is_same_row(other); });
    if (same == before.end()) {
      ++comparisons.only_after;
    } else {
      is_matched[static_cast<std::size_t>(same - before.begin())] = true;
      comparisons.rows.push_back(compare(*same, figure));
    }
  }
  comparisons.only_before = static_cast<std::size_t>(std::count(is_matched.begin(), is_matched.end(), false));
  return comparisons;
}

std::string to_text(const Comparisons& comparisons) {
  std::size_t width = 6;
  for (const Compared& row : comparisons.rows) width = std::max(width, name_of(row.after).size());
  const auto name_width = static_cast<int>(width);
  std::string text = format(
      "%-*s  path       isa       thr  cache       old us  spread      new us  spread  new/old"
      "  machine  margin  change\n",
      name_width, "preset");
  for (const Compared& row : comparisons.rows) {
    const Figure& after = row.after;
    text += format("%-*s  %-9s  %-8s  %3d  %-5s", name_width, name_of(after).c_str(), after.path.c_str(),
                   after.isa.c_str(), after.threads, after.cache.c_str());
    text += format("  %11.1f  %5.1f%%  %10.1f  %5.1f%%  %7.3f  %7.3f  %5.1f%%  %s\n", row.before.median_us,
                   row.before.spread_pct, after.median_us, after.spread_pct, row.ratio, row.machine, 100.0 * row.margin,
                   change_name(row.change));
  }
  return text + format(
                    "%zu compared: %zu slower, %zu faster, %zu the same, %zu busy and not judged; %zu only in the old "
                    "run, %zu only in the new one",
                    comparisons.rows.size(), comparisons.count(Change::slower), comparisons.count(Change::faster),
                    comparisons.count(Change::none), comparisons.count(Change::not_judged), comparisons.only_before,
                    comparisons.only_after);
}

}  // namespace heed::perf
