// SPDX-License-Identifier: Apache-2.0
// heed-tabular: the attention of a tabular model on a table, call by call. Its parts are in tabular/; perf/README.md
// explains the columns.
#include <unistd.h>

#include <exception>
#include <iostream>

#include "argument_error.hpp"
#include "csv_output.hpp"
#include "format.hpp"
#include "machine.hpp"
#include "tabular/arguments.hpp"
#include "tabular/checks.hpp"
#include "tabular/report.hpp"
#include "tabular/resident.hpp"

namespace heed::perf {
namespace {

struct Run {
  const TabularArguments& arguments;
  std::vector<Path> paths;
  CsvOutput csv;
  std::ostream& people;
  bool is_wrong = false;

  std::int64_t train_rows(const DataTable& table) const {
    const auto rows = static_cast<std::int64_t>(arguments.train_share * static_cast<double>(table.rows()));
    return std::max<std::int64_t>(rows, 1);
  }
  ModelWeights weights_for(const DataTable& table) const {
    ModelSizes sizes;
    sizes.blocks = arguments.blocks;
    return {sizes, table.class_count(), arguments.seed};
  }
  void add_csv(const DataTable& table, const Probe& probe) {
    for (const CallFigures& call : probe.calls())
      for (std::size_t path = 0; path < probe.paths().size(); ++path)
        csv.add(tabular_csv_line(table.rows(), table.features(), probe, call, path));
  }
  void judge(const Probe& probe) {
    const double difference = largest_difference(probe);
    if (difference <= most_difference) return;
    people << format("FAILED: paths differ by %.1e, of %.0e allowed\n", difference, most_difference);
    is_wrong = true;
  }

  void real_table() {
    const DataTable table = read_table(arguments.table, arguments.target, arguments.seed);
    const std::int64_t known = train_rows(table);
    people << arguments.table
           << format(": %lld rows, %lld of them with known classes; %lld features, %lld classes\n",
                     static_cast<long long>(table.rows()), static_cast<long long>(known),
                     static_cast<long long>(table.features()), static_cast<long long>(table.class_count()));
    const ModelWeights weights = weights_for(table);
    for (const int threads : arguments.threads) {
      Probe warm_up(paths, threads, false);  // oneDNN prepares its code for each shape
      predict(weights, table, known, warm_up);
      Probe probe(paths, threads, isatty(STDERR_FILENO) != 0);
      const Prediction prediction = predict(weights, table, known, probe);
      people << format("\nthreads: %d\n", threads);
      print_calls(people, probe);
      add_csv(table, probe);
      judge(probe);
      for (const TabularCheck& check : check_rows(weights, table, known, prediction, paths.front(), threads)) {
        people << (check.holds ? "ok      " : "FAILED  ") << check.what << ": " << check.found << '\n';
        is_wrong |= !check.holds;
      }
    }
  }

  void drawn_tables() {
    people << cost_header() << std::endl;
    const std::vector<std::int64_t> features =
        arguments.features.empty() ? std::vector<std::int64_t>{10} : arguments.features;
    for (const std::int64_t count : features)
      for (const std::int64_t rows : arguments.rows)
        for (const int threads : arguments.threads) {
          const DataTable table = random_table(rows, count, arguments.seed);
          const ModelWeights weights = weights_for(table);
          Probe probe(paths, threads, isatty(STDERR_FILENO) != 0);
          predict(weights, table, train_rows(table), probe);
          people << cost_line(rows, count, probe, probe.resident_peak_mib()) << std::endl;
          add_csv(table, probe);
          judge(probe);
        }
  }
};

int run(int argc, char** argv) {
  TabularArguments arguments;
  if (const std::optional<int> status = parse_command_line(argc, argv, arguments)) return *status;
  Run run{arguments, paths_of(arguments), {}, arguments.csv == "-" ? std::cerr : std::cout};
  run.csv.open(arguments.csv);
  for (const auto& [name, value] : machine_facts()) run.people << name << ": " << value << '\n';
  run.people << format("weights: drawn by seed %llu; they show routing, masks, cost and memory, not accuracy\n",
                       static_cast<unsigned long long>(arguments.seed));
  run.csv.add(tabular_csv_header());
  if (arguments.table.empty())
    run.drawn_tables();
  else
    run.real_table();
  return run.is_wrong ? failed_rows : 0;
}

}  // namespace
}  // namespace heed::perf

int main(int argc, char** argv) {
  try {
    return heed::perf::run(argc, argv);
  } catch (const heed::perf::ArgumentError& error) {
    std::cerr << "heed-tabular: " << error.message << '\n';
    return heed::perf::bad_arguments;
  } catch (const std::exception& error) {
    std::cerr << "heed-tabular: " << error.what() << '\n';
    return heed::perf::failed_rows;
  }
}
