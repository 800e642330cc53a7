// SPDX-License-Identifier: Apache-2.0
// A table of features and classes: read from a CSV file, or drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::perf {

struct DataTable {
  std::vector<std::string> feature_names, class_names;
  std::vector<float> values;          // [rows][features], standardised: mean 0, variance 1; a missing one is 0
  std::vector<std::int32_t> classes;  // of the rows

  std::int64_t rows() const { return static_cast<std::int64_t>(classes.size()); }
  std::int64_t features() const { return static_cast<std::int64_t>(feature_names.size()); }
  std::int64_t class_count() const { return static_cast<std::int64_t>(class_names.size()); }
};

// Fields with commas between, none of them quoted; the first line names the columns. A column of numbers is one
// feature; any other is numbered by its distinct texts, in the order in which they appear. "" and "NA" are missing.
// Rows are shuffled by the seed: files are often sorted by class. Throws ArgumentError.
DataTable read_table(const std::string& path, const std::string& target, std::uint64_t seed);

// Normal values, ten classes.
DataTable random_table(std::int64_t rows, std::int64_t features, std::uint64_t seed);

// The rows in this order.
DataTable reordered(const DataTable& table, const std::vector<std::int64_t>& order);

}  // namespace heed::perf
