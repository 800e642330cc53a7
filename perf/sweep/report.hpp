// SPDX-License-Identifier: Apache-2.0
// Rows as CSV and JSON for programs and as an aligned table for people. perf/README.md explains the columns.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "format.hpp"
#include "sweep/measure.hpp"

namespace heed::perf {

// Without the line's end. Numbers of a row that was not measured are empty.
std::string csv_header();
std::string csv_line(const Row& row);

// The CSV's columns by name; what is empty there is null. Infinity is the string "Infinity".
nlohmann::ordered_json row_json(const Row& row);

struct TableLayout {
  std::size_t name_width = 6;
  bool shows_storage = false;
};
std::string table_header(const TableLayout& layout);
std::string table_line(const Row& row, const TableLayout& layout);

}  // namespace heed::perf
