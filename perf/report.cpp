// SPDX-License-Identifier: Apache-2.0
// Columns are explained in perf/README.md.
#include "report.hpp"

#include <array>
#include <cstdarg>

namespace heed::perf {
namespace {

// Quoted where a comma, a quote or a line's end would end the field.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace

std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

std::string csv_line(const Row& row) {
  std::string line = csv_field(row.preset) + ',' + csv_field(row.spec) + ',' + row.path + ',' + csv_field(row.isa);
  line += format(",%d", row.threads);
  if (row.is_measured) {
    line += format(",%.3f,%.1f,%.2f,%.1f", row.median_us, row.spread_pct, row.gflops, row.peak_pct);
    line += format(",%.2f,%.1f,%.1f,%.3g", row.gbytes_s, row.bandwidth_pct, row.roofline_pct, row.max_err);
  } else {
    line += ",,,,,,,,";
  }
  return line + ',' + csv_field(row.status);
}

std::string table_header(std::size_t name_width) {
  return padded("preset", name_width) +
         "  path       isa       thr      median  spread  GFLOP/s  peak%    GB/s  bandw%"
         "   roof%  instr  max_err   ratio  status";
}

std::string table_line(const Row& row, std::size_t name_width) {
  std::string line = padded(row.preset, name_width) + "  " + padded(row.path, 9) + "  " + padded(row.isa, 8) +
                     format("  %3d", row.threads);
  if (row.is_measured) {
    const bool in_us = row.median_us < 9999.5;
    line += format("  %7.1f %s", in_us ? row.median_us : 1e-3 * row.median_us, in_us ? "us" : "ms");
    line += format("  %5.1f%%", row.spread_pct);
    line += format("  %7.1f  %5.1f  %6.2f  %6.1f  %6.1f", row.gflops, row.peak_pct, row.gbytes_s, row.bandwidth_pct,
                   row.roofline_pct);
    line += format("  %5.2f  %7.1e", row.instructions_per_cycle, row.max_err);
    line += row.ratio ? format("  %6.2f", *row.ratio) : std::string(8, ' ');
  }
  return line + "  " + row.status;
}

}  // namespace heed::perf
