// SPDX-License-Identifier: Apache-2.0
// Where rows and remarks go: a table for people; CSV and JSON, to files or to standard output.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "csv_output.hpp"
#include "sweep/arguments.hpp"
#include "sweep/report.hpp"

namespace heed::perf {

// Standard output belongs to whatever was given as "-"; people then read standard error, which has the
// table where it is no terminal, and the progress line where it is one.
class Output {
 public:
  explicit Output(const SweepArguments& arguments);  // throws ArgumentError
  // Replaces one line of a terminal, until something else is written; writes nothing anywhere else.
  void show_progress(const std::string& text);
  void note(const std::string& text);
  void start(const TableLayout& layout);
  void add(const Row& row);
  void finish();  // writes the JSON

 private:
  std::vector<std::string> command_;
  std::string json_path_;
  CsvOutput csv_;
  std::ostream* people_;
  bool shows_table_, has_terminal_, has_progress_ = false;
  TableLayout layout_{};
  std::vector<Row> rows_;

  void clear_progress();
};

}  // namespace heed::perf
