// SPDX-License-Identifier: Apache-2.0
// A line is flushed at once: what can't be written is told with its row, not after the last one.
#include "csv_output.hpp"

#include <iostream>

#include "argument_error.hpp"

namespace heed::perf {

void CsvOutput::open(const std::string& path) {
  if (path.empty()) return;
  stream_ = &std::cout;
  if (path == "-") return;
  file_.open(path);
  if (!file_) throw ArgumentError{"--csv: '" + path + "' can't be opened for writing"};
  stream_ = &file_;
}

void CsvOutput::add(const std::string& line) {
  if (stream_ == nullptr) return;
  *stream_ << line << std::endl;
  if (!*stream_) throw ArgumentError{"--csv: a row could not be written"};
}

}  // namespace heed::perf
