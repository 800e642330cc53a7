// SPDX-License-Identifier: Apache-2.0
// Machine first, then group after group: tensors and answers, all thread counts, rows that need it again.
#include "sweep/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "peak.hpp"
#include "sweep/command_line.hpp"
#include "sweep/compare.hpp"
#include "sweep/output.hpp"
#include "sweep/repeat.hpp"

namespace heed::perf {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Peak and instruction rate before the first row, for the reader; rows are judged by their own.
void note_rates(Output& output, const std::vector<Setting>& settings) {
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

// By thread count.
std::map<int, Bandwidth> measure_bandwidths(Output& output, const std::vector<Setting>& settings) {
  std::map<int, Bandwidth> bandwidths;
  for (const Setting& setting : settings) {
    if (bandwidths.contains(setting.threads)) continue;
    const Bandwidth bandwidth = bandwidths[setting.threads] = measure_bandwidth(setting.threads);
    output.note(counted(setting.threads, "thread") +
                format(": memory reads %.1f GB/s (a stream each %.1f, eight each %.1f), copies %.1f GB/s",
                       1e-9 * bandwidth.read(), 1e-9 * bandwidth.read_one_stream, 1e-9 * bandwidth.read_eight_streams,
                       1e-9 * bandwidth.copy));
  }
  return bandwidths;
}

TableLayout layout_of(const SweepArguments& arguments, const std::vector<std::vector<Subject>>& groups) {
  TableLayout layout;
  for (const std::vector<Subject>& group : groups)
    for (const Subject& subject : group) layout.name_width = std::max(layout.name_width, subject.preset.size());
  layout.shows_storage = !arguments.storages.empty();
  return layout;
}

// oneDNN takes the best instructions of the CPU; here no more than its rows say, unless the environment
// has said something already. Read at its first use.
void limit_onednn(const std::vector<Setting>& settings) {
  const std::map<std::string, const char*> names = {{"baseline", "SSE41"}, {"avx2", "AVX2"}, {"avx512", "AVX512_CORE"}};
  for (const Setting& setting : settings)
    if (setting.path == Path::onednn && names.contains(setting.isa))
      setenv("ONEDNN_MAX_CPU_ISA", names.at(setting.isa), 0);
}

// One thread count after the other.
class GroupRun {
 public:
  GroupRun(const SweepArguments& arguments, std::vector<Figure> before, std::map<int, Bandwidth> bandwidths)
      : is_cold_(arguments.is_cold),
        retries_(arguments.retries),
        settings_(settings_of(arguments)),
        before_(std::move(before)),
        bandwidths_(std::move(bandwidths)) {}

  // The rows in order, written as they come; place says how far the sweep is.
  std::vector<Row> run(std::vector<Subject>& group, const std::string& place, Output& output) const {
    std::vector<Row> all;
    for (Subject& subject : group) {
      output.show_progress(place + subject.preset + ": tensors and reference");
      prepare(subject, is_cold_);
    }
    for (const auto& [threads, bandwidth] : bandwidths_) {
      const std::vector<Setting> settings = settings_with(threads);
      const std::string what = place + group.front().preset + ": " + counted(threads, "thread");
      const auto measure = [&, &bandwidth = bandwidth](int attempt) {
        output.show_progress(what + (attempt == 0 ? "" : format(", again (%d of %d)", attempt, retries_)));
        if (attempt > 0)
          for (Subject& subject : group) move_in_memory(subject);
        return measure_group(group, settings, bandwidth);
      };
      const std::vector<Row> rows = repeat_while_in_doubt(before_, retries_, measure);
      for (const Row& row : rows) output.add(row);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    group.clear();  // its tensors may be large
    return all;
  }

 private:
  bool is_cold_;
  int retries_;
  std::vector<Setting> settings_;
  std::vector<Figure> before_;
  std::map<int, Bandwidth> bandwidths_;

  std::vector<Setting> settings_with(int threads) const {
    std::vector<Setting> settings;
    std::copy_if(settings_.begin(), settings_.end(), std::back_inserter(settings),
                 [=](const Setting& setting) { return setting.threads == threads; });
    return settings;
  }
};

// Rows of both runs; throws ArgumentError where there is none.
Comparisons compare_runs(const std::vector<Figure>& before, const std::vector<Figure>& after) {
  Comparisons comparisons = compare(before, after);
  if (comparisons.rows.empty())
    throw ArgumentError{
        "--compare: the runs have no row in common, of equal preset, spec, path, isa, threads and cache"};
  return comparisons;
}

int status_of(const Comparisons& comparisons) { return comparisons.count(Change::slower) > 0 ? regressions : 0; }

}  // namespace

int sweep(const SweepArguments& arguments) {
  std::vector<std::vector<Subject>> groups = groups_of(arguments);
  const std::vector<Setting> settings = settings_of(arguments);
  limit_onednn(settings);
  const std::vector<Figure> before =
      arguments.compare.empty() ? std::vector<Figure>{} : read_figures(arguments.compare.front());
  Output output(arguments);

  output.note(format("heed %s; ISAs that run here: ", version()) + joined(available_isas()));
  output.note(format("max_err: against the reference path; on rows drawn with seed %llu where all would take long",
                     static_cast<unsigned long long>(sample_seed)));
  if (arguments.is_cold) output.note("cold: each sample is one call, its tensors in memory only");
  output.show_progress("measuring what the machine can do");
  const std::map<int, Bandwidth> bandwidths = measure_bandwidths(output, settings);
  note_rates(output, settings);
  output.start(layout_of(arguments, groups));

  const GroupRun group_run(arguments, before, bandwidths);
  std::vector<Row> rows;
  std::size_t done = 0;
  for (std::vector<Subject>& group : groups) {
    const std::string place = format("[%zu/%zu] ", ++done, groups.size());
    const std::vector<Row> of_group = group_run.run(group, place, output);
    rows.insert(rows.end(), of_group.begin(), of_group.end());
  }
  output.finish();
  const bool has_failed = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_failed; });
  const std::vector<Figure> after = figures_of(rows);
  if (arguments.compare.empty() || after.empty()) return has_failed ? failed_rows : 0;
  const Comparisons comparisons = compare_runs(before, after);
  output.note("");
  output.note(to_text(comparisons));
  return has_failed ? failed_rows : status_of(comparisons);
}

int compare_files(const std::string& before, const std::string& after) {
  const Comparisons comparisons = compare_runs(read_figures(before), read_figures(after));
  std::cout << to_text(comparisons) << std::endl;
  return status_of(comparisons);
}

}  // namespace heed::perf
