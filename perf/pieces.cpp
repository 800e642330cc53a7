// SPDX-License-Identifier: Apache-2.0
// heed-pieces: how fast the pieces of the streaming kernel are alone, for each ISA, and whether they are right. Its
// parts are in pieces/; perf/README.md explains the columns.
#include <exception>
#include <iostream>

#include "argument_error.hpp"
#include "csv_output.hpp"
#include "format.hpp"
#include "machine.hpp"
#include "pieces/arguments.hpp"
#include "pieces/report.hpp"

namespace heed::perf {
namespace {

int run(int argc, char** argv) {
  PiecesArguments arguments;
  if (const std::optional<int> status = parse_command_line(argc, argv, arguments)) return *status;
  const std::vector<PiecesSubject> subjects = subjects_of(arguments);
  const std::vector<std::string> pieces = pieces_of(arguments);
  CsvOutput csv;
  csv.open(arguments.csv);
  std::ostream& people = arguments.csv == "-" ? std::cerr : std::cout;

  for (const auto& [name, value] : machine_facts()) people << name << ": " << value << '\n';
  const Bandwidth bandwidth = measure_bandwidth(1);
  people << format("1 thread: memory reads %.1f GB/s; peak%% is of each ISA's FMA peak in this process\n",
                   1e-9 * bandwidth.read())
         << table_header() << std::endl;
  csv.add(csv_header());
  bool is_wrong = false;
  for (const PiecesSubject& subject : subjects)
    for (const PieceRow& row : measure_pieces(*subject.isa, subject.sizes, pieces, arguments.min_seconds, bandwidth)) {
      people << table_line(row) << std::endl;
      csv.add(csv_line(row));
      is_wrong |= row.is_wrong;
    }
  return is_wrong ? failed_rows : 0;
}

}  // namespace
}  // namespace heed::perf

int main(int argc, char** argv) {
  try {
    return heed::perf::run(argc, argv);
  } catch (const heed::perf::ArgumentError& error) {
    std::cerr << "heed-pieces: " << error.message << '\n';
    return heed::perf::bad_arguments;
  } catch (const std::exception& error) {
    std::cerr << "heed-pieces: " << error.what() << '\n';
    return heed::perf::failed_rows;
  }
}
