// SPDX-License-Identifier: Apache-2.0
// As RFC 4180 has it.
#include "sweep/csv.hpp"

#include <utility>

namespace heed::perf {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::vector<CsvLine> read_csv(std::istream& stream) {
  std::vector<CsvLine> lines;
  CsvLine line{1, {}};
  std::string field;
  bool is_quoted = false;
  std::size_t number = 1;
  const auto end_field = [&] { line.fields.push_back(std::exchange(field, {})); };
  const auto end_line = [&] {
    if (!field.empty() && field.back() == '\r') field.pop_back();
    end_field();
    if (line.fields != std::vector<std::string>{""}) lines.push_back(std::move(line));
    line = {number, {}};
  };
  for (char letter = 0; stream.get(letter);) {
    if (letter == '\n') ++number;
    if (letter == '"' && is_quoted && stream.peek() == '"') {
      field += letter;
      stream.get(letter);
    } else if (letter == '"') {
      is_quoted = !is_quoted;
    } else if (is_quoted || (letter != ',' && letter != '\n')) {
      field += letter;
    } else if (letter == ',') {
      end_field();
    } else {
      end_line();
    }
  }
  if (!field.empty() || !line.fields.empty()) end_line();
  return lines;
}

}  // namespace heed::perf
