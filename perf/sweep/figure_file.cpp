// SPDX-License-Identifier: Apache-2.0
// Reads a CSV that heed-sweep wrote, by the names of its columns.
#include <algorithm>
#include <charconv>
#include <fstream>

#include "sweep/arguments.hpp"
#include "sweep/compare.hpp"
#include "sweep/csv.hpp"

namespace heed::perf {
namespace {

class Columns {
 public:
  Columns(std::string path, std::vector<std::string> names) : path_(std::move(path)), names_(std::move(names)) {}

  const std::string& text(const CsvLine& line, const char* name) const {
    const auto place = std::find(names_.begin(), names_.end(), name);
    if (place == names_.end()) throw ArgumentError{at(1) + "no column '" + name + "', expected a CSV of heed-sweep"};
    return line.fields.at(static_cast<std::size_t>(place - names_.begin()));
  }
  bool has(const char* name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

  double number(const CsvLine& line, const char* name) const {
    const std::string& field = text(line, name);
    double value = 0.0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size())
      throw ArgumentError{at(line.number) + name + " is '" + field + "', expected a number"};
    return value;
  }
  double number_or_0(const CsvLine& line, const char* name) const { return has(name) ? number(line, name) : 0.0; }

  std::string at(std::size_t line) const { return "--compare: " + path_ + ":" + std::to_string(line) + ": "; }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

Figure figure_from(const CsvLine& line, const Columns& columns) {
  Figure figure;
  figure.preset = columns.text(line, "preset");
  figure.spec = columns.text(line, "spec");
  figure.path = columns.text(line, "path");
  figure.isa = columns.text(line, "isa");
  figure.cache = columns.has("cache") ? columns.text(line, "cache") : "warm";
  figure.threads = static_cast<int>(columns.number(line, "threads"));
  figure.median_us = columns.number(line, "median_us");
  figure.spread_pct = columns.number(line, "spread_pct");
  if (!(figure.median_us > 0.0))
    throw ArgumentError{columns.at(line.number) + "median_us is '" + columns.text(line, "median_us") +
                        "', expected a time above 0"};
  figure.attainable =
      std::min(columns.number_or_0(line, "peak_gflops"),
               columns.number_or_0(line, "flops_per_byte") * columns.number_or_0(line, "read_gbytes_s"));
  figure.is_busy = columns.text(line, "status") == "ok busy" || figure.spread_pct > busy_above_spread_pct;
  return figure;
}

}  // namespace

std::vector<Figure> read_figures(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ArgumentError{"--compare: '" + path + "' can't be read"};
  std::vector<CsvLine> lines = read_csv(file);
  if (lines.empty()) throw ArgumentError{"--compare: '" + path + "' is empty, expected a CSV of heed-sweep"};
  const std::size_t width = lines.front().fields.size();
  const Columns columns(path, std::move(lines.front().fields));
  std::vector<Figure> figures;
  for (std::size_t index = 1; index < lines.size(); ++index) {
    const CsvLine& line = lines[index];
    if (line.fields.size() != width)
      throw ArgumentError{columns.at(line.number) + std::to_string(line.fields.size()) + " fields, expected " +
                          std::to_string(width)};
    if (columns.text(line, "status").starts_with("ok")) figures.push_back(figure_from(line, columns));
  }
  return figures;
}

}  // namespace heed::perf
