// SPDX-License-Identifier: Apache-2.0
// The table that heed-audit prints, and the lines around it.
#include "audit/report.hpp"

#include <algorithm>
#include <limits>

#include "audit/text.hpp"

namespace heed::audit {
namespace {

std::string place(const Difference& difference) {
  if (difference.is_empty || difference.max == 0.0) return "-";
  std::string joined = "(";
  for (const std::int64_t index : difference.worst) {
    if (joined.size() > 1) joined += ',';
    joined += std::to_string(index);
  }
  return joined.append(")");
}

}  // namespace

std::string call_text(const Call& call) {
  const Sizes& s = call.sizes();
  return text("batch %lld, heads %lld:%lld, tokens %lld:%lld (queries:keys), channels %lld:%lld, scale %g",
              static_cast<long long>(s.batch), static_cast<long long>(s.q_heads), static_cast<long long>(s.kv_heads),
              static_cast<long long>(s.q_len), static_cast<long long>(s.kv_len), static_cast<long long>(s.head_dim),
              static_cast<long long>(s.value_dim), static_cast<double>(call.scale()));
}

std::string visibility_text(const Call& call, const AllRowFacts& facts) {
  double visible = 0.0;
  std::int64_t empty = 0;
  for (const RowFacts& row : facts.all()) {
    visible += static_cast<double>(row.visible);
    empty += row.visible == 0;
  }
  const double pairs = static_cast<double>(call.sizes().rows()) * static_cast<double>(call.sizes().kv_len);
  return text("visible: %.1f %% of the (row, key) pairs; %lld of %lld rows see nothing",
              pairs > 0.0 ? 100.0 * visible / pairs : 0.0, static_cast<long long>(empty),
              static_cast<long long>(call.sizes().rows()));
}

std::string bounds_text(const AllRowFacts& facts) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0, lse_high = 0.0;
  for (const RowFacts& row : facts.all()) {
    low = std::min(low, row.out_bound());
    high = std::max(high, row.out_bound());
    lse_high = std::max(lse_high, row.lse_bound());
  }
  std::string bounds = "bounds: out 64 * 2^-23 * (1 + A) * max|v|, by row";
  if (!facts.all().empty()) bounds += text(" (here %.2e to %.2e)", low, high);
  bounds += text("; lse 64 * 2^-23 * (1 + A + log(visible)) (at most %.2e);\n", lse_high);
  bounds += "        four times as much for onednn; row sums 1e-06; hidden weights exactly 0. ";
  bounds += "A: largest |scale| * sum|q_c k_c| + |bias| of a visible key";
  return bounds;
}

bool Report::is_ok() const {
  return std::all_of(paths.begin(), paths.end(), [](const PathReport& path) { return path.is_ok(); });
}

Table parity_table(const Call& call, const Report& report) {
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
      cells.back() = verdict(false);
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
    cells.insert(cells.end(), {text("%.3f", 1e3 * path.seconds), verdict(path.is_ok())});
    table.add(cells);
  }
  return table;
}

void print_table(std::ostream& out, const Call& call, const AllRowFacts& facts, const Report& report) {
  out << "heed-audit " << version() << ": " << call_text(call) << '\n'
      << visibility_text(call, facts) << '\n'
      << bounds_text(facts) << '\n';
  if (!report.paths.front().spec.empty()) out << "spec: " << report.paths.front().spec << '\n';
  for (const std::string& note : report.notes) out << "note: " << note << '\n';
  for (const AbsentPath& absent : report.absent) out << "not run: " << absent.path << " (" << absent.reason << ")\n";
  out << '\n';
  parity_table(call, report).print(out);
  for (const PathReport& path : report.paths)
    for (const std::string& failure : path.failures) out << "FAIL " << path.path << ": " << failure << '\n';
}

}  // namespace heed::audit
