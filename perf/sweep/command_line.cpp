// SPDX-License-Identifier: Apache-2.0
// Names are checked later, in arguments.cpp.
#include "sweep/command_line.hpp"

#include "list_option.hpp"

namespace heed::perf {
namespace {

void add_tiers(CLI::App& app, std::optional<Tier>& tier) {
  const auto add = [&](const char* name, Tier of_flag, const char* about) {
    return app.add_flag_callback(
        name, [&tier, of_flag] { tier = of_flag; }, about);
  };
  CLI::Option* quick = add("--quick", Tier::quick, "Presets that take little time; so it is where nothing is named");
  CLI::Option* full = add("--full", Tier::full, "Presets up to 35 GFLOP");
  CLI::Option* all = add("--all", Tier::all, "Every preset");
  quick->excludes(full)->excludes(all);
  full->excludes(all);
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, SweepArguments& arguments) {
  CLI::App app{
      "Measures attention on this machine, beside what the machine could do. Exit status: 0 every row ran and was "
      "right, 1 a row failed or was wrong, 2 a mistake in the arguments, 3 a row is slower than in the file of "
      "--compare."};
  app.set_help_flag("-h,--help", "Print this and leave");
  app.add_flag("--list", arguments.wants_list, "Print the presets and leave");
  add_tiers(app, arguments.tier);
  add_list(app, "--preset", arguments.presets, "Presets to run, by name; see --list");
  app.add_option("--spec", arguments.specs, "A call as a line, such as \"b=2 h=8:2 n=100:1000 d=64:64 causal\"")
      ->allow_extra_args(false);
  app.add_option("--specs", arguments.spec_files,
                 "A file of such lines, each with a name before it or none; # comments")
      ->allow_extra_args(false);
  add_list(app, "--isa", arguments.isas, "ISAs to run, or all; default: the best one that runs here");
  add_list(app, "--threads", arguments.threads, "Thread counts to run, all for every core; default: 1,all");
  add_list(app, "--path", arguments.paths, "Paths to run; default: streaming");
  add_list(app, "--storage", arguments.storages,
           "Every tensor in that order: bhnd, bnhd or both; default: as presets say");
  app.add_flag("--cold", arguments.is_cold, "Tensors out of all caches before each sample, which is one call");
  app.add_option("--min-time", arguments.min_seconds, "Seconds to sample each row for, at least; default: 0.3")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--retries", arguments.retries, "How often a busy row is measured again, at most; default: 2")
      ->check(CLI::Range(0, 100));
  app.add_option("--csv", arguments.csv, "Write the rows to this file too; -: to standard output instead of the table");
  app.add_option("--json", arguments.json, "The same as JSON, with machine, build and command");
  add_list(app, "--compare", arguments.compare,
           "OLD.csv: compare with the rows of a run before. OLD.csv,NEW.csv: compare the two, measure nothing")
      ->expected(1, 2);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  arguments.command.assign(argv, argv + argc);
  return std::nullopt;
}

}  // namespace heed::perf
