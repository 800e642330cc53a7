// SPDX-License-Identifier: Apache-2.0
// Lines of cells printed under each other: the first column to the left, the others to the right.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "audit/text.hpp"

namespace heed::audit {

class Table {
 public:
  explicit Table(std::vector<std::string> heads) : lines_{std::move(heads)} {}
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

  // The first line holds the heads.
  const std::vector<std::vector<std::string>>& lines() const { return lines_; }

  void print(std::ostream& out) const {
    std::vector<std::size_t> widths(lines_.front().size(), 0);
    for (const auto& line : lines_)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], characters(line[i]));
    for (const auto& line : lines_) {
      std::string text;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string padding(widths[i] - characters(line[i]), ' ');
        text += (i > 0 ? "  " : "") + (i == 0 ? line[i] + padding : padding + line[i]);
      }
      out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
    }
  }

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace heed::audit
