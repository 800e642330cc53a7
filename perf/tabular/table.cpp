// SPDX-License-Identifier: Apache-2.0
#include "tabular/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "argument_error.hpp"
#include "format.hpp"
#include "random_numbers.hpp"

namespace heed::perf {
namespace {

using Fields = std::vector<std::string>;

Fields split(std::string line, const std::string& place) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.find('"') != std::string::npos)
    throw ArgumentError{place + ": quoted fields are not supported; expected plain ones with commas between"};
  Fields fields{""};
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::vector<Fields> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ArgumentError{path + ": cannot be opened"};
  std::vector<Fields> lines;
  for (std::string line; std::getline(file, line);) {
    const std::string place = path + ", line " + std::to_string(lines.size() + 1);
    lines.push_back(split(line, place));
    if (lines.back().size() != lines.front().size())
      throw ArgumentError{place + ": " + std::to_string(lines.back().size()) + " fields, expected " +
                          std::to_string(lines.front().size()) + " as in the first line"};
  }
  if (lines.size() < 2) throw ArgumentError{path + ": expected a line of names and at least one row"};
  return lines;
}

bool is_missing(const std::string& text) { return text.empty() || text == "NA"; }

bool read_number(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

std::int32_t number_of(Fields& known, const std::string& text) {
  const auto found = std::find(known.begin(), known.end(), text);
  const auto number = static_cast<std::int32_t>(found - known.begin());
  if (found == known.end()) known.push_back(text);
  return number;
}

// NaN where a value is missing.
std::vector<double> read_column(const std::vector<Fields>& lines, std::size_t column) {
  bool is_numbers = true;
  double value = 0.0;
  for (std::size_t n = 1; n < lines.size(); ++n)
    is_numbers &= is_missing(lines[n][column]) || read_number(lines[n][column], value);
  Fields texts;
  std::vector<double> values;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const std::string& text = lines[n][column];
    if (is_missing(text))
      value = std::numeric_limits<double>::quiet_NaN();
    else if (is_numbers)
      read_number(text, value);
    else
      value = number_of(texts, text);
    values.push_back(value);
  }
  return values;
}

void standardise(std::vector<double>& values) {
  double count = 0.0, sum = 0.0, squares = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    count += 1.0;
    sum += value;
  }
  const double mean = count > 0.0 ? sum / count : 0.0;
  for (const double value : values)
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  const double deviation = squares > 0.0 ? std::sqrt(squares / count) : 1.0;
  for (double& value : values) value = std::isnan(value) ? 0.0 : (value - mean) / deviation;
}

std::vector<std::int64_t> shuffled(std::int64_t rows, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (std::int64_t n = rows - 1; n > 0; --n)
    std::swap(order[static_cast<std::size_t>(n)], order[static_cast<std::size_t>(random.between(0, n))]);
  return order;
}

}  // namespace

DataTable read_table(const std::string& path, const std::string& target, std::uint64_t seed) {
  const std::vector<Fields> lines = read_lines(path);
  const Fields& names = lines.front();
  const auto found = target.empty() ? names.begin() : std::find(names.begin(), names.end(), target);
  if (found == names.end()) throw ArgumentError{"--target: '" + target + "' is no column of " + path};
  const auto target_column = static_cast<std::size_t>(found - names.begin());
  DataTable table;
  std::vector<std::vector<double>> columns;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (column == target_column) continue;
    table.feature_names.push_back(names[column]);
    columns.push_back(read_column(lines, column));
    standardise(columns.back());
  }
  if (columns.empty()) throw ArgumentError{path + ": expected a column beside the classes"};
  for (std::size_t n = 1; n < lines.size(); ++n) {
    if (is_missing(lines[n][target_column]))
      throw ArgumentError{path + ", line " + std::to_string(n + 1) + ": the class is missing"};
    table.classes.push_back(number_of(table.class_names, lines[n][target_column]));
    for (const std::vector<double>& column : columns) table.values.push_back(static_cast<float>(column[n - 1]));
  }
  return reordered(table, shuffled(table.rows(), seed));
}

DataTable random_table(std::int64_t rows, std::int64_t features, std::uint64_t seed) {
  Random random(seed);
  DataTable table;
  for (std::int64_t f = 0; f < features; ++f) table.feature_names.push_back(format("f%lld", static_cast<long long>(f)));
  for (int c = 0; c < 10; ++c) table.class_names.push_back(std::to_string(c));
  for (std::int64_t n = 0; n < rows * features; ++n) table.values.push_back(random.normal());
  for (std::int64_t n = 0; n < rows; ++n) table.classes.push_back(static_cast<std::int32_t>(random.between(0, 9)));
  return table;
}

DataTable reordered(const DataTable& table, const std::vector<std::int64_t>& order) {
  DataTable result{table.feature_names, table.class_names, {}, {}};
  for (const std::int64_t row : order) {
    const auto first = table.values.begin() + row * table.features();
    result.values.insert(result.values.end(), first, first + table.features());
    result.classes.push_back(table.classes[static_cast<std::size_t>(row)]);
  }
  return result;
}

}  // namespace heed::perf
