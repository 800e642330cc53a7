// SPDX-License-Identifier: Apache-2.0
#include "tabular/report.hpp"

#include <algorithm>

#include "format.hpp"

namespace heed::perf {
namespace {

std::string path_cells(const Probe& probe, const CallFigures& call) {
  std::string cells;
  for (const PathFigures& path : call.paths)
    cells += format("  %10.2f ms  %7.1f MiB", 1e3 * path.seconds, path.memory_mib);
  if (probe.paths().size() > 1)
    cells += format("  %5.2f  %10.1e", call.paths[1].seconds / call.paths[0].seconds, call.difference);
  return cells;
}

}  // namespace

void print_calls(std::ostream& out, const Probe& probe) {
  out << format("%-8s  %-8s  %5s", "stage", "call", "calls");
  for (const Path path : probe.paths()) out << format("  %10s     %11s", path_name(path), "memory");
  out << (probe.paths().size() > 1 ? "  ratio  difference\n" : "\n");
  for (const StageFigures& stage : probe.stages()) {
    for (const CallFigures& call : probe.calls())
      if (call.stage == stage.name)
        out << format("%-8s  %-8s  %5lld", call.stage.c_str(), call.name.c_str(), static_cast<long long>(call.calls))
            << path_cells(probe, call) << '\n';
    out << format("%-8s  %-8s  %5s  %10.2f ms\n", stage.name.c_str(), "all", "", 1e3 * stage.seconds);
  }
}

std::string cost_header() {
  return "   rows  features  threads     column        row    context    decoder        all    resident  difference";
}

std::string cost_line(std::int64_t rows, std::int64_t features, const Probe& probe, double peak_mib) {
  std::string line =
      format("%7lld  %8lld  %7d", static_cast<long long>(rows), static_cast<long long>(features), probe.threads());
  double all = 0.0;
  for (const StageFigures& stage : probe.stages()) {
    line += format("  %7.2f s", stage.seconds);
    all += stage.seconds;
  }
  return line + format("  %7.2f s  %6.0f MiB  %10.1e", all, peak_mib, largest_difference(probe));
}

double largest_difference(const Probe& probe) {
  double largest = 0.0;
  for (const CallFigures& call : probe.calls()) largest = std::max(largest, call.difference);
  return largest;
}

std::string tabular_csv_header() { return "rows,features,threads,stage,call,path,calls,seconds,memory_mib,difference"; }

std::string tabular_csv_line(std::int64_t rows, std::int64_t features, const Probe& probe, const CallFigures& call,
                             std::size_t path) {
  return format("%lld,%lld,%d,", static_cast<long long>(rows), static_cast<long long>(features), probe.threads()) +
         call.stage + "," + call.name + "," + path_name(probe.paths()[path]) +
         format(",%lld,%.6f,%.1f,%.3g", static_cast<long long>(call.calls), call.paths[path].seconds,
                call.paths[path].memory_mib, call.difference);
}

}  // namespace heed::perf
