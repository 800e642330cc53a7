// SPDX-License-Identifier: Apache-2.0
// A group is a base and the rows that are compared with it.
#include "sweep/measure.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <span>
#include <stdexcept>

#include "flush.hpp"
#include "sweep/storage.hpp"
#include "timer.hpp"

namespace heed::perf {
namespace {

Options options_of(const Workload& workload, const Setting& setting) {
  Options options = workload.options;
  options.path = setting.path;
  options.isa = setting.isa;
  options.threads = setting.threads;
  return options;
}

Status attend(const Workload& workload, const Options& options) {
  return attention(workload.q, workload.k, workload.v, workload.out, options);
}

// A subject under one setting.
struct Run {
  Subject* subject = nullptr;
  const Setting* setting = nullptr;
  Row row{};
  Options options{}, twin_options{};
  Sampler sampler{};
  bool can_run = false;

  void fail(const std::string& message) {
    row.status = message;
    row.is_failed = true;
  }

  // The same calls have succeeded before.
  void call() const { static_cast<void>(attend(*subject->workload, options)); }
  void make_cold() const {
    for (const std::span<const std::byte> part : subject->workload->memory())
      flush_from_caches(part.data(), part.size());
    static_cast<void>(attend(*subject->twin, twin_options));
  }
  void take_turn(double turn_seconds) {
    if (setting->is_cold)
      sampler.take_prepared_turn([this] { make_cold(); }, [this] { call(); }, turn_seconds);
    else
      sampler.take_turn([this] { call(); }, turn_seconds);
  }
};

// Runs the call once on poisoned outputs and compares.
void start(Run& run) {
  Subject& subject = *run.subject;
  const Setting& setting = *run.setting;
  run.row.preset = subject.preset;
  run.row.spec = to_text(subject.spec);
  run.row.path = path_name(setting.path);
  run.row.isa = setting.isa.empty() ? "-" : setting.isa;
  run.row.threads = setting.threads;
  run.row.storage = storage_name(subject.spec);
  run.row.is_cold = setting.is_cold;
  if (subject.workload == nullptr) return run.fail(subject.problem);

  Workload& workload = *subject.workload;
  run.options = options_of(workload, setting);
  if (subject.twin != nullptr) run.twin_options = options_of(*subject.twin, setting);

  workload.poison_outputs();
  if (const Status status = attend(workload, run.options); !status.ok()) return run.fail(status.message());
  run.can_run = true;
  const Comparison comparison = compare(workload, subject.answer, setting.path);
  run.row.max_err = comparison.max_err;
  if (!comparison.holds()) run.fail("wrong");  // measured all the same: a fast wrong row should be seen
}

void finish(Run& run, const RateMeter& meter, const Bandwidth& bandwidth) {
  Row& row = run.row;
  const Cost& cost = run.subject->cost;
  const double seconds = run.sampler.median_seconds();
  const double peak = meter.flops_per_second();
  // A written line is read first, and so moves twice.
  const double traffic_bytes = cost.read_bytes + 2.0 * cost.written_bytes;
  row.is_measured = true;
  row.median_us = 1e6 * seconds;
  row.spread_pct = run.sampler.spread_pct();
  row.samples = run.sampler.samples();
  row.gflops = 1e-9 * cost.flops / seconds;
  row.peak_pct = 100.0 * cost.flops / seconds / peak;
  row.gbytes_s = 1e-9 * cost.moved_bytes() / seconds;
  row.bandwidth_pct = 100.0 * cost.moved_bytes() / seconds / bandwidth.read();
  row.roofline_pct = 100.0 * std::max(cost.flops / peak, traffic_bytes / bandwidth.read()) / seconds;
  row.flops_per_byte = cost.flops / traffic_bytes;
  row.peak_gflops = 1e-9 * peak;
  row.read_gbytes_s = 1e-9 * bandwidth.read();
  row.copy_gbytes_s = 1e-9 * bandwidth.copy;
  row.instructions_per_cycle = meter.instructions_per_cycle();
  row.is_busy = is_busy(row.instructions_per_cycle, row.spread_pct);
  if (row.status.empty()) row.status = row.is_busy ? "ok busy" : "ok";
}

void compare_rows(std::vector<Run>& runs) {
  for (Run& run : runs) {
    if (!run.row.is_measured) continue;
    const auto base = std::find_if(runs.begin(), runs.end(), [&](const Run& other) {
      return other.row.is_measured && other.row.preset == run.subject->base && other.row.path == run.row.path &&
             other.row.isa == run.row.isa && other.row.storage == run.row.storage;
    });
    if (base != runs.end()) run.row.ratio = run.row.median_us / base->row.median_us;
    const auto first = std::find_if(runs.begin(), runs.end(), [&](const Run& other) {
      return other.row.is_measured && other.row.preset == run.row.preset;
    });
    if (&*first != &run) run.row.to_first = run.row.median_us / first->row.median_us;
  }
}

}  // namespace

void prepare(Subject& subject, bool is_cold) {
  try {
    subject.workload = std::make_unique<Workload>(subject.spec);
    if (is_cold) subject.twin = std::make_unique<Workload>(subject.spec);
    const std::int64_t rows = affordable_rows(*subject.workload, sample_multiply_adds);
    const Status status = reference_answer(*subject.workload, rows, sample_seed, subject.answer);
    if (status.ok())
      subject.cost = cost_of(*subject.workload);
    else
      subject.problem = status.message();
  } catch (const std::length_error& error) {
    subject.problem = error.what();
  } catch (const std::bad_alloc&) {
    subject.problem = "spec: its tensors could not be allocated";
  }
  if (!subject.problem.empty()) subject.workload.reset();
}

void move_in_memory(Subject& subject) {
  try {
    // The old ones still hold their pages while the new ones get theirs.
    for (std::unique_ptr<Workload>* workload : {&subject.workload, &subject.twin})
      if (*workload != nullptr) *workload = std::make_unique<Workload>(subject.spec);
  } catch (const std::length_error&) {
  } catch (const std::bad_alloc&) {
  }
}

std::vector<Row> measure_group(std::vector<Subject>& group, const std::vector<Setting>& settings,
                               const Bandwidth& bandwidth) {
  std::vector<Run> runs;
  std::map<std::string, RateMeter> meters;  // by ISA
  double turn_seconds = 0.02, min_seconds = 0.0;
  for (const Setting& setting : settings) {
    meters.try_emplace(setting.isa, setting.isa, setting.threads);
    turn_seconds = std::max(turn_seconds, setting.min_seconds / 5.0);
    min_seconds = std::max(min_seconds, setting.min_seconds);
  }
  for (Subject& subject : group)
    for (const Setting& setting : settings) {
      Run& run = runs.emplace_back();
      run.subject = &subject;
      run.setting = &setting;
      start(run);
    }
  for (Run& run : runs)
    if (run.can_run) run.sampler.warm_up([&run] { run.call(); });

  const auto take_windows = [&] {
    for (auto& [isa, meter] : meters) meter.take_window();
  };
  const auto is_unfinished = [&](const Run& run) { return run.can_run && !run.sampler.has_enough(min_seconds); };
  while (std::any_of(runs.begin(), runs.end(), is_unfinished)) {
    take_windows();
    for (Run& run : runs)
      if (run.can_run) run.take_turn(turn_seconds);
  }
  take_windows();

  for (Run& run : runs)
    if (run.can_run) finish(run, meters.at(run.setting->isa), bandwidth);
  compare_rows(runs);
  std::vector<Row> rows;
  for (Run& run : runs) rows.push_back(std::move(run.row));
  return rows;
}

}  // namespace heed::perf
