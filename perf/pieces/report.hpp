// SPDX-License-Identifier: Apache-2.0
// Rows as CSV for programs and as an aligned table for people. perf/README.md explains the columns.
#pragma once

#include <string>

#include "pieces/measure.hpp"

namespace heed::perf {

// Without the line's end.
std::string csv_header();
std::string csv_line(const PieceRow& row);
std::string table_header();
std::string table_line(const PieceRow& row);

}  // namespace heed::perf
