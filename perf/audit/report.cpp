// SPDX-License-Identifier: Apache-2.0
// The table that heed-audit prints.
#include "audit/report.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "audit/table.hpp"

namespace heed::audit {
namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

std::string number(double value) { return value == 0.0 ? "0" : text("%.2e", value); }

std::string place(const Difference& difference) {
  if (difference.is_empty || difference.max == 0.0) return "-";
  std::string joined;
  for (const std::int64_t index : difference.worst) joined += (joined.empty() ? "(" : ",") + std::to_string(index);
  return joined + ")";
}

void print_call(std::ostream& out, const Call& call) {
  const Sizes& s = call.sizes();
  out << text(
      "heed-audit %s: batch %lld, heads %lld:%lld, tokens %lld:%lld (queries:keys), channels %lld:%lld, "
      "scale %g\n",
      version(), static_cast<long long>(s.batch), static_cast<long long>(s.q_heads), static_cast<long long>(s.kv_heads),
      static_cast<long long>(s.q_len), static_cast<long long>(s.kv_len), static_cast<long long>(s.head_dim),
      static_cast<long long>(s.value_dim), static_cast<double>(call.scale()));
}

void print_visibility(std::ostream& out, const Call& call, const AllRowFacts& facts) {
  double visible = 0.0;
  std::int64_t empty = 0;
  for (const RowFacts& row : facts.all()) {
    visible += static_cast<double>(row.visible);
    empty += row.visible == 0;
  }
  const double pairs = static_cast<double>(call.sizes().rows()) * static_cast<double>(call.sizes().kv_len);
  out << text("visible: %.1f %% of the (row, key) pairs; %lld of %lld rows see nothing\n",
              pairs > 0.0 ? 100.0 * visible / pairs : 0.0, static_cast<long long>(empty),
              static_cast<long long>(call.sizes().rows()));
}

void print_bounds(std::ostream& out, const AllRowFacts& facts) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0, lse_high = 0.0;
  for (const RowFacts& row : facts.all()) {
    low = std::min(low, row.out_bound());
    high = std::max(high, row.out_bound());
    lse_high = std::max(lse_high, row.lse_bound());
  }
  out << "bounds: out 64 * 2^-23 * (1 + A) * max|v|, by row"
      << (facts.all().empty() ? "" : text(" (here %.2e to %.2e)", low, high))
      << text("; lse 64 * 2^-23 * (1 + A + log(visible)) (at most %.2e);\n", lse_high)
      << "        row sums 1e-06; hidden weights exactly 0. "
         "A: largest |scale| * sum|q_c k_c| + |bias| of a visible key\n";
}

}  // namespace

bool Report::is_ok() const {
  return std::all_of(paths.begin(), paths.end(), [](const PathReport& path) { return path.is_ok(); });
}

void print_table(std::ostream& out, const Call& call, const AllRowFacts& facts, const Report& report) {
  print_call(out, call);
  print_visibility(out, call, facts);
  print_bounds(out, facts);
  if (!report.paths.front().spec.empty()) out << "spec: " << report.paths.front().spec << '\n';
  for (const std::string& note : report.notes) out << "note: " << note << '\n';
  out << '\n';

  std::vector<std::string> heads = {"path",          "isa",        "threads",         "max error",
                                    "mean error",    "% of bound", "worst (b,h,i,c)", "row sum error",
                                    "hidden weight", "lse error"};
  if (call.expect()) heads.insert(heads.end(), {"expect max", "expect mean"});
  if (call.expect_lse()) heads.push_back("expect lse");
  heads.insert(heads.end(), {"ms", "verdict"});
  Table table(heads);
  for (const PathReport& path : report.paths) {
    if (!path.has_run) {
      std::vector<std::string> cells(heads.size(), "-");
      cells.front() = path.path;
      cells.back() = "FAIL";
      table.add(cells);
      continue;
    }
    std::vector<std::string> cells = {path.path,
                                      path.isa.empty() ? "-" : path.isa,
                                      std::to_string(path.threads),
                                      number(path.out.max),
                                      number(path.out.mean),
                                      text("%.1f", 100.0 * path.out.of_bound),
                                      place(path.out),
                                      number(path.weights.row_sum_error),
                                      number(path.weights.hidden_weight),
                                      number(path.lse.max)};
    if (path.expect) cells.insert(cells.end(), {number(path.expect->max), number(path.expect->mean)});
    if (path.expect_lse) cells.push_back(number(path.expect_lse->max));
    cells.insert(cells.end(), {text("%.3f", 1e3 * path.seconds), path.is_ok() ? "ok" : "FAIL"});
    table.add(cells);
  }
  table.print(out);
  for (const PathReport& path : report.paths)
    for (const std::string& failure : path.failures) out << "FAIL " << path.path << ": " << failure << '\n';
}

}  // namespace heed::audit
