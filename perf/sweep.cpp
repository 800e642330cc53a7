// SPDX-License-Identifier: Apache-2.0
// heed-sweep: how fast attention is on this machine, beside what the machine could do. Rows are
// presets or specs, times paths, ISAs and thread counts. perf/README.md explains the columns.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "peak.hpp"
#include "presets.hpp"
#include "report.hpp"
#include "sweep_arguments.hpp"

namespace heed::perf {
namespace {

constexpr int failed_rows = 1, bad_arguments = 2;

// Replaces one line of a terminal; writes nothing anywhere else.
class Progress {
 public:
  void show(const std::string& text) const {
    if (is_terminal_) std::fprintf(stderr, "\r\033[K%s", text.c_str()), std::fflush(stderr);
  }
  void clear() const { show(""); }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
};

class Output {
 public:
  explicit Output(const std::string& csv) : prints_csv_(csv == "-") {
    if (csv.empty() || prints_csv_) return;
    file_.open(csv);
    if (!file_) throw ArgumentError{"--csv: '" + csv + "' can't be opened for writing"};
    file_ << csv_header << '\n';
  }
  // Remarks go where they can't be taken for rows.
  void note(const std::string& text) const { (prints_csv_ ? std::cerr : std::cout) << text << std::endl; }
  void start(std::size_t name_width) {
    name_width_ = name_width;
    std::cout << (prints_csv_ ? csv_header : table_header(name_width)) << std::endl;
  }
  void add(const Row& row) {
    std::cout << (prints_csv_ ? csv_line(row) : table_line(row, name_width_)) << std::endl;
    if (file_.is_open()) file_ << csv_line(row) << std::endl;
  }

 private:
  bool prints_csv_;
  std::ofstream file_;
  std::size_t name_width_ = 0;
};

void list_presets() {
  for (const Preset& preset : presets) {
    std::printf("%-24s %s%s\n", preset.name, preset.about, preset.is_quick ? " (quick)" : "");
    std::printf("%-24s %s\n", "", preset.spec);
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Peak and instruction rate before the first row, for the reader; rows are judged by their own.
void note_rates(const Output& output, const std::vector<Setting>& settings) {
  std::set<std::pair<std::string, int>> seen;
  for (const Setting& setting : settings) {
    const std::string isa = peak_loop(setting.isa).isa;
    if (!seen.emplace(isa, setting.threads).second) continue;
    RateMeter meter(isa, setting.threads);
    for (int window = 0; window < 5; ++window) meter.take_window();
    output.note(isa + ", " + counted(setting.threads, "thread") +
                format(": FMA peak %.1f GFLOP/s, %.2f instructions per FMA cycle", 1e-9 * meter.flops_per_second(),
                       meter.instructions_per_cycle()) +
                (meter.is_busy() ? " (busy: below 4.5)" : ""));
  }
}

// Bytes per second by thread count.
std::map<int, double> measure_bandwidths(const Output& output, const std::vector<Setting>& settings) {
  std::map<int, double> best;
  for (const Setting& setting : settings) {
    if (best.contains(setting.threads)) continue;
    const ReadBandwidth bandwidth = measure_read_bandwidth(setting.threads);
    best[setting.threads] = bandwidth.best();
    output.note(format("%s: reads %.1f GB/s (a stream each %.1f, eight each %.1f)",
                       counted(setting.threads, "thread").c_str(), 1e-9 * bandwidth.best(), 1e-9 * bandwidth.one_stream,
                       1e-9 * bandwidth.eight_streams));
  }
  return best;
}

std::size_t longest_name(const std::vector<std::vector<Subject>>& groups) {
  std::size_t longest = 6;
  for (const std::vector<Subject>& group : groups)
    for (const Subject& subject : group) longest = std::max(longest, subject.preset.size());
  return longest;
}

// oneDNN takes the best instructions of the CPU; a sweep of one ISA holds it to the same, unless the
// environment has said something already. Read at its first use.
void limit_onednn(const std::vector<std::string>& isas) {
  const std::map<std::string, const char*> names = {{"baseline", "SSE41"}, {"avx2", "AVX2"}, {"avx512", "AVX512_CORE"}};
  if (isas.size() != 1 || !names.contains(isas.front())) return;
  setenv("ONEDNN_MAX_CPU_ISA", names.at(isas.front()), 0);
}

int sweep(const SweepArguments& arguments) {
  limit_onednn(arguments.isas);
  std::vector<std::vector<Subject>> groups = groups_of(arguments);
  const std::vector<Setting> settings = settings_of(arguments);
  Output output(arguments.csv);
  const Progress progress;

  output.note(format("heed %s; ISAs that run here: ", version()) + joined(available_isas()));
  output.note(format("max_err: against the reference path; on rows drawn with seed %llu where all would take long",
                     static_cast<unsigned long long>(sample_seed)));
  progress.show("measuring what the machine can do");
  const std::map<int, double> bandwidths = measure_bandwidths(output, settings);
  note_rates(output, settings);
  output.start(longest_name(groups));

  bool has_failed = false;
  int done = 0;
  for (std::vector<Subject>& group : groups) {
    ++done;
    for (Subject& subject : group) {
      progress.show(format("[%d/%zu] %s: tensors and reference", done, groups.size(), subject.preset.c_str()));
      prepare(subject);
    }
    for (const auto& [threads, bandwidth] : bandwidths) {
      progress.show(format("[%d/%zu] %s: %s", done, groups.size(), group.front().preset.c_str(),
                           counted(threads, "thread").c_str()));
      std::vector<Setting> of_threads;
      std::copy_if(settings.begin(), settings.end(), std::back_inserter(of_threads),
                   [count = threads](const Setting& setting) { return setting.threads == count; });
      const std::vector<Row> rows = measure_group(group, of_threads, bandwidth);
      progress.clear();
      for (const Row& row : rows) {
        output.add(row);
        has_failed |= row.is_failed;
      }
    }
    group.clear();  // its tensors may be large
  }
  return has_failed ? failed_rows : 0;
}

// Lists are given with commas, so that a stray word is a mistake and not one more of a list.
template <class Values>
CLI::Option* add_list(CLI::App& app, const char* name, Values& values, const char* about) {
  return app.add_option(name, values, about)->delimiter(',')->allow_extra_args(false);
}

int run(int argc, char** argv) {
  CLI::App app{"Measures attention on this machine, beside what the machine could do."};
  SweepArguments arguments;
  add_list(app, "--preset", arguments.presets, "Presets to run, by name; see --list");
  app.add_option("--spec", arguments.specs, "A call as a line, such as \"b=2 h=8:2 n=100:1000 d=64:64 causal\"")
      ->allow_extra_args(false);
  app.add_flag("--list", arguments.wants_list, "Print the presets and leave");
  add_list(app, "--isa", arguments.isas, "ISAs to run, or all; default: the best one that runs here");
  add_list(app, "--threads", arguments.threads, "Thread counts to run; default: 1 and all")->check(CLI::Range(1, 4096));
  add_list(app, "--path", arguments.paths, "Paths to run; default: streaming");
  app.add_option("--min-time", arguments.min_seconds, "Seconds to sample each row for, at least; default: 0.3")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--csv", arguments.csv, "Write the rows to this file too; -: to standard output instead of the table");
  app.add_flag("--quick", arguments.is_quick, "Only presets that take little time: all within about two minutes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_arguments;
  }
  if (arguments.wants_list) {
    list_presets();
    return 0;
  }
  return sweep(arguments);
}

}  // namespace
}  // namespace heed::perf

int main(int argc, char** argv) {
  try {
    return heed::perf::run(argc, argv);
  } catch (const heed::perf::ArgumentError& error) {
    std::cerr << "heed-sweep: " << error.message << '\n';
    return heed::perf::bad_arguments;
  } catch (const std::exception& error) {
    std::cerr << "heed-sweep: " << error.what() << '\n';
    return heed::perf::failed_rows;
  }
}
