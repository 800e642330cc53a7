// SPDX-License-Identifier: Apache-2.0
// One list of columns serves CSV and JSON.
#include "sweep/report.hpp"

#include <nlohmann/json.hpp>

#include "sweep/csv.hpp"

namespace heed::perf {
namespace {

struct Column {
  const char* name;
  enum class Kind { text, count, number } kind;  // a number is there when the row was measured
  std::string (*value)(const Row&);
};

std::string optional_number(const std::optional<double>& number) { return number ? format("%.3f", *number) : ""; }

using enum Column::Kind;
constexpr Column columns[] = {
    {"preset", text, [](const Row& r) { return r.preset; }},
    {"spec", text, [](const Row& r) { return r.spec; }},
    {"path", text, [](const Row& r) { return r.path; }},
    {"isa", text, [](const Row& r) { return r.isa; }},
    {"threads", count, [](const Row& r) { return std::to_string(r.threads); }},
    {"median_us", number, [](const Row& r) { return format("%.3f", r.median_us); }},
    {"spread_pct", number, [](const Row& r) { return format("%.1f", r.spread_pct); }},
    {"gflops", number, [](const Row& r) { return format("%.2f", r.gflops); }},
    {"peak_pct", number, [](const Row& r) { return format("%.1f", r.peak_pct); }},
    {"gbytes_s", number, [](const Row& r) { return format("%.2f", r.gbytes_s); }},
    {"bandwidth_pct", number, [](const Row& r) { return format("%.1f", r.bandwidth_pct); }},
    {"roofline_pct", number, [](const Row& r) { return format("%.1f", r.roofline_pct); }},
    {"max_err", number, [](const Row& r) { return format("%.3g", r.max_err); }},
    {"status", text, [](const Row& r) { return r.status; }},
    {"storage", text, [](const Row& r) { return r.storage; }},
    {"cache", text, [](const Row& r) { return std::string(r.is_cold ? "cold" : "warm"); }},
    {"samples", number, [](const Row& r) { return std::to_string(r.samples); }},
    {"ratio", number, [](const Row& r) { return optional_number(r.ratio); }},
    {"to_first", number, [](const Row& r) { return optional_number(r.to_first); }},
    {"flops_per_byte", number, [](const Row& r) { return format("%.4g", r.flops_per_byte); }},
    {"peak_gflops", number, [](const Row& r) { return format("%.2f", r.peak_gflops); }},
    {"read_gbytes_s", number, [](const Row& r) { return format("%.2f", r.read_gbytes_s); }},
    {"copy_gbytes_s", number, [](const Row& r) { return format("%.2f", r.copy_gbytes_s); }},
    {"instructions_per_cycle", number, [](const Row& r) { return format("%.2f", r.instructions_per_cycle); }},
};

std::string value_of(const Column& column, const Row& row) {
  return column.kind == number && !row.is_measured ? "" : column.value(row);
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Column& column : columns) line.append(&column == columns ? "" : ",").append(column.name);
  return line;
}

std::string csv_line(const Row& row) {
  std::string line;
  for (const Column& column : columns)
    line.append(&column == columns ? "" : ",").append(csv_field(value_of(column, row)));
  return line;
}

nlohmann::ordered_json row_json(const Row& row) {
  using Json = nlohmann::ordered_json;
  Json json = Json::object();
  for (const Column& column : columns) {
    const std::string value = value_of(column, row);
    if (value.empty())
      json[column.name] = nullptr;
    else if (column.kind == text)
      json[column.name] = value;
    else
      json[column.name] = Json::accept(value) ? Json::parse(value) : Json("Infinity");
  }
  return json;
}

std::string table_header(const TableLayout& layout) {
  return padded("preset", layout.name_width) + "  path       isa     " + (layout.shows_storage ? "  storage" : "") +
         "  thr      median  spread  GFLOP/s  peak%    GB/s  bandw%   roof%  instr  max_err   ratio  to 1st  status";
}

std::string table_line(const Row& row, const TableLayout& layout) {
  std::string line = padded(row.preset, layout.name_width) + "  " + padded(row.path, 9) + "  " + padded(row.isa, 8);
  if (layout.shows_storage) line += "  " + padded(row.storage, 7);
  line += format("  %3d", row.threads);
  if (row.is_measured) {
    const bool in_us = row.median_us < 9999.5;
    line += format("  %7.1f %s", in_us ? row.median_us : 1e-3 * row.median_us, in_us ? "us" : "ms");
    line += format("  %5.1f%%", row.spread_pct);
    line += format("  %7.1f  %5.1f  %6.2f  %6.1f  %6.1f", row.gflops, row.peak_pct, row.gbytes_s, row.bandwidth_pct,
                   row.roofline_pct);
    line += format("  %5.2f  %7.1e", row.instructions_per_cycle, row.max_err);
    for (const std::optional<double>& times : {row.ratio, row.to_first})
      line += times ? format("  %6.2f", *times) : std::string(8, ' ');
  }
  return line + "  " + row.status;
}

}  // namespace heed::perf
