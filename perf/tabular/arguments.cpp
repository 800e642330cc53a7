// SPDX-License-Identifier: Apache-2.0
#include "tabular/arguments.hpp"

#include <algorithm>

#include "argument_error.hpp"
#include "list_option.hpp"

namespace heed::perf {

std::optional<int> parse_command_line(int argc, char** argv, TabularArguments& arguments) {
  CLI::App app{
      "The attention of a tabular model on a table: columns by induced attention, rows with rotary positions, train "
      "rows "
      "and test rows in context with query scaling, and a decoder that reads classes. Its weights are drawn by a seed: "
      "what it shows is routing, masks, cost and memory, not accuracy. Exit status: 0 paths agree and train rows are "
      "what "
      "they have to be, 1 something was off, 2 a mistake in the arguments."};
  app.set_help_flag("-h,--help", "Print this and leave");
  CLI::Option* table = app.add_option("TABLE", arguments.table, "A CSV file with a line of names");
  app.add_option("--target", arguments.target, "The column of classes; default: the first")->needs(table);
  app.add_option("--train-share", arguments.train_share, "Share of the rows whose classes are known; default: 0.75")
      ->check(CLI::Range(0.01, 1.0));
  CLI::Option* rows = add_list(app, "--rows", arguments.rows, "Draw tables of so many rows, and show what they cost")
                          ->check(CLI::Range(2, 10000000))
                          ->excludes(table);
  add_list(app, "--features", arguments.features, "Features of drawn tables; default: 10")
      ->check(CLI::Range(1, 100000))
      ->needs(rows);
  add_list(app, "--threads", arguments.threads, "Numbers of threads; default: 1")->check(CLI::Range(1, 1024));
  add_list(app, "--path", arguments.paths,
           "Paths to make each call by, the first to go on with; default: streaming,onednn "
           "where it is built in");
  app.add_option("--blocks", arguments.blocks, "Blocks of each stage; default: 1 (TabPFN-3 has 3, 2 and 24)")
      ->check(CLI::Range(1, 100));
  app.add_option("--seed", arguments.seed, "Of the weights and the order of rows; default: 1");
  app.add_option("--csv", arguments.csv, "Write the figures to this file too; -: to standard output instead of tables");
  try {
    app.parse(argc, argv);
    if (arguments.table.empty() && arguments.rows.empty()) throw CLI::RequiredError("TABLE or --rows");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  return std::nullopt;
}

std::vector<Path> paths_of(const TabularArguments& arguments) {
  const std::vector<std::string> known = available_paths();
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  std::vector<std::string> names = arguments.paths;
  if (names.empty()) names = {"streaming"};
  if (arguments.paths.empty() && is_known("onednn")) names.emplace_back("onednn");
  std::vector<Path> paths;
  for (const std::string& name : names) {
    if (!is_known(name)) {
      std::string message = "--path: '" + name + "' is unknown or not built in, expected one of:";
      for (const std::string& path : known) message.append(" ").append(path);
      throw ArgumentError{message};
    }
    for (const Path path : {Path::streaming, Path::onednn, Path::reference})
      if (name == path_name(path)) paths.push_back(path);
  }
  return paths;
}

}  // namespace heed::perf
