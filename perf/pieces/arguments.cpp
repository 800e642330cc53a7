// SPDX-License-Identifier: Apache-2.0
// Lists, names and defaults as heed-sweep has them, where both have them.
#include "pieces/arguments.hpp"

#include <algorithm>

#include "argument_error.hpp"
#include "list_option.hpp"
#include "pieces/measure.hpp"

namespace heed::perf {
namespace {

std::vector<const IsaRow*> isas_of(const PiecesArguments& arguments) {
  std::vector<const IsaRow*> all;
  for (const IsaRow& row : built_isas())
    if (row.runs_here()) all.push_back(&row);
  if (arguments.isas.empty() || arguments.isas == std::vector<std::string>{"all"}) return all;
  std::vector<const IsaRow*> chosen;
  for (const std::string& name : arguments.isas) {
    const IsaRow* row = find_isa(name);
    if (row == nullptr || !row->runs_here()) {
      std::string message = "--isa: '" + name + "' is unknown or does not run here, expected one of:";
      for (const IsaRow* known : all) message.append(" ").append(known->name);
      throw ArgumentError{message};
    }
    chosen.push_back(row);
  }
  return chosen;
}

std::vector<std::size_t> head_dims_of(const PiecesArguments& arguments) {
  if (arguments.is_quick) return {64};
  if (arguments.head_dims.empty()) return {32, 64, 128};
  return arguments.head_dims;
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, PiecesArguments& arguments) {
  CLI::App app{
      "Measures the pieces of the streaming kernel alone, one key tile in cache, one thread, and checks each against "
      "plain loops in double. Exit status: 0 every piece was right, 1 one was wrong, 2 a mistake in the arguments."};
  app.set_help_flag("-h,--help", "Print this and leave");
  add_list(app, "--isa", arguments.isas, "ISAs to run, or all; default: all that run here");
  add_list(app, "--piece", arguments.pieces, "Pieces to run, of score, exp, softmax, weigh and value; default: all");
  CLI::Option* dims =
      add_list(app, "--head-dim", arguments.head_dims, "Channels of keys and values; default: 32,64,128")
          ->check(CLI::Range(1, 4096));
  app.add_option("--rows", arguments.rows,
                 "Rows of the tile, filled up to whole vectors; default: as many as the ISA's largest tile has")
      ->check(CLI::Range(1, 4096));
  app.add_option("--keys", arguments.keys, "Keys of the tile; default: as many as the library takes of long rows")
      ->check(CLI::Range(1, 65536));
  app.add_flag("--quick", arguments.is_quick, "head_dim 64 only")->excludes(dims);
  app.add_option("--min-time", arguments.min_seconds, "Seconds to sample each row for, at least; default: 0.3")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--csv", arguments.csv, "Write the rows to this file too; -: to standard output instead of the table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  return std::nullopt;
}

std::vector<PiecesSubject> subjects_of(const PiecesArguments& arguments) {
  std::vector<PiecesSubject> subjects;
  for (const IsaRow* isa : isas_of(arguments)) {
    if (arguments.rows > isa->kernels->max_rows)
      throw ArgumentError{"--rows: " + std::to_string(arguments.rows) + ", expected at most the " +
                          std::to_string(isa->kernels->max_rows) + " of a tile of " + isa->name};
    for (const std::size_t head_dim : head_dims_of(arguments))
      subjects.push_back({isa, tile_sizes(*isa->kernels, arguments.rows, arguments.keys, head_dim)});
  }
  return subjects;
}

std::vector<std::string> pieces_of(const PiecesArguments& arguments) {
  const std::vector<std::string> known = piece_names();
  for (const std::string& name : arguments.pieces)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string message = "--piece: '" + name + "' is unknown, expected one of:";
      for (const std::string& piece : known) message.append(" ").append(piece);
      throw ArgumentError{message};
    }
  return arguments.pieces.empty() ? known : arguments.pieces;
}

}  // namespace heed::perf
