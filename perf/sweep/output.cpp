// SPDX-License-Identifier: Apache-2.0
// CSV rows are written as they come, JSON at the end: half of it would be none.
#include "sweep/output.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "sweep/build_facts.hpp"

namespace heed::perf {
namespace {

using Json = nlohmann::ordered_json;

bool is_standard_output(const std::string& path) { return path == "-"; }

// Opening for appending: a mistake is told before the first row, and nothing is lost yet.
void require_writable(const std::string& path) {
  if (!std::ofstream(path, std::ios::app)) throw ArgumentError{"--json: '" + path + "' can't be opened for writing"};
}

// "ISAs that run here" as isas_that_run_here.
std::string key_of(std::string name) {
  for (char& letter : name) letter = letter == ' ' ? '_' : static_cast<char>(std::tolower(letter));
  return name;
}

Json facts_json(const std::vector<std::pair<std::string, std::string>>& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[key_of(name)] = value;
  return json;
}

}  // namespace

Output::Output(const SweepArguments& arguments) : command_(arguments.command), json_path_(arguments.json) {
  const bool is_taken = is_standard_output(arguments.csv) || is_standard_output(arguments.json);
  if (is_standard_output(arguments.csv) && is_standard_output(arguments.json))
    throw ArgumentError{"--json: standard output has the CSV already, expected a file"};
  people_ = is_taken ? &std::cerr : &std::cout;
  has_terminal_ = isatty(STDERR_FILENO) == 1;
  shows_table_ = !is_taken || !has_terminal_;
  if (!json_path_.empty() && !is_standard_output(json_path_)) require_writable(json_path_);
  csv_.open(arguments.csv);
}

void Output::show_progress(const std::string& text) {
  if (!has_terminal_) return;
  clear_progress();
  std::cerr << text << std::flush;
  has_progress_ = true;
}

void Output::clear_progress() {
  if (has_progress_) std::cerr << "\r\033[K" << std::flush;
  has_progress_ = false;
}

void Output::note(const std::string& text) {
  clear_progress();
  *people_ << text << std::endl;
}

void Output::start(const TableLayout& layout) {
  clear_progress();
  layout_ = layout;
  csv_.add(csv_header());
  if (shows_table_) *people_ << table_header(layout_) << std::endl;
}

void Output::add(const Row& row) {
  clear_progress();
  csv_.add(csv_line(row));
  if (shows_table_) *people_ << table_line(row, layout_) << std::endl;
  rows_.push_back(row);
}

void Output::finish() {
  clear_progress();
  if (json_path_.empty()) return;
  Json json = {{"command", command_},
               {"machine", facts_json(machine_facts())},
               {"build", facts_json(build_facts())},
               {"rows", Json::array()}};
  for (const Row& row : rows_) json["rows"].push_back(row_json(row));
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (is_standard_output(json_path_)) {
    std::cout << text << std::flush;
    return;
  }
  std::ofstream file(json_path_);
  file << text;
  file.close();
  if (!file) throw ArgumentError{"--json: '" + json_path_ + "' could not be written in full"};
}

}  // namespace heed::perf
