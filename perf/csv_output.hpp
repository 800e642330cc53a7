// SPDX-License-Identifier: Apache-2.0
// Where the rows of --csv go as they come, so that a run that is broken off leaves those it has.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace heed::perf {

class CsvOutput {
 public:
  // Standard output for "-", none for "". Throws ArgumentError, as add() does.
  void open(const std::string& path);
  void add(const std::string& line);

 private:
  std::ofstream file_;
  std::ostream* stream_ = nullptr;  // null: none
};

}  // namespace heed::perf
