// SPDX-License-Identifier: Apache-2.0
// Where rows and remarks go: a table for people; CSV and JSON, to files or to standard output.
#pragma once

#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "sweep/arguments.hpp"
#include "sweep/report.hpp"

namespace heed::perf {

// Replaces one line of a terminal; writes nothing anywhere else.
class Progress {
 public:
  Progress();
  void show(const std::string& text) const;
  void clear() const { show(""); }

 private:
  bool is_terminal_;
};

// Standard output belongs to whatever was given as "-"; people then read standard error, which has the
// table where it is no terminal, and the progress line where it is one.
class Output {
 public:
  explicit Output(const SweepArguments& arguments);  // throws ArgumentError
  void note(const std::string& text);
  void start(const TableLayout& layout);
  void add(const Row& row);
  void finish();  // writes the JSON
  std::ostream& people() { return *people_; }

 private:
  std::vector<std::string> command_;
  std::string json_path_;
  std::ofstream csv_file_;
  std::ostream* csv_ = nullptr;  // null: none
  std::ostream* people_;
  bool shows_table_;
  TableLayout layout_{};
  std::vector<Row> rows_;
};

}  // namespace heed::perf
