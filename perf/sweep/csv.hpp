// SPDX-License-Identifier: Apache-2.0
// Lines of fields with commas between them; a field with a comma, a quote or a line's end is quoted.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace heed::perf {

std::string csv_field(const std::string& text);

struct CsvLine {
  std::size_t number = 0;  // of its first line in the file, from 1
  std::vector<std::string> fields{};
};

// Empty lines are left out. Bytes are taken as they are; a carriage return before a line's end is not.
std::vector<CsvLine> read_csv(std::istream& stream);

}  // namespace heed::perf
