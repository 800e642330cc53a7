// SPDX-License-Identifier: Apache-2.0
// A group is a base and the rows that are compared with it.
#include "measure.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>

#include "timer.hpp"

namespace heed::perf {
namespace {

// A subject under one setting.
struct Run {
  Subject* subject = nullptr;
  Row row{};
  Options options{};
  Sampler sampler{};

  bool can_run = false;

  void fail(const std::string& message) {
    row.status = message;
    row.is_failed = true;
  }
  Status call() {
    const Workload& workload = *subject->workload;
    return attention(workload.q, workload.k, workload.v, workload.out, options);
  }
};

// Runs the call once on poisoned outputs and compares.
void start(Run& run, const Setting& setting) {
  Subject& subject = *run.subject;
  run.row.preset = subject.preset;
  run.row.spec = to_text(subject.spec);
  run.row.path = path_name(setting.path);
  run.row.isa = setting.isa.empty() ? "-" : setting.isa;
  run.row.threads = setting.threads;
  if (subject.workload == nullptr) return run.fail(subject.problem);

  Workload& workload = *subject.workload;
  run.options = workload.options;
  run.options.path = setting.path;
  run.options.isa = setting.isa;
  run.options.threads = setting.threads;

  workload.poison_outputs();
  if (const Status status = run.call(); !status.ok()) return run.fail(status.message());
  run.can_run = true;
  const Comparison comparison = compare(workload, subject.answer, setting.path);
  run.row.max_err = comparison.max_err;
  if (!comparison.holds()) run.fail("wrong");  // measured all the same: a fast wrong row should be seen
}

void finish(Run& run, const RateMeter& meter, double read_bytes_per_second) {
  Row& row = run.row;
  const Cost& cost = run.subject->cost;
  const double seconds = run.sampler.median_seconds();
  const double peak = meter.flops_per_second();
  row.is_measured = true;
  row.median_us = 1e6 * seconds;
  row.spread_pct = run.sampler.spread_pct();
  row.gflops = 1e-9 * cost.flops / seconds;
  row.peak_pct = 100.0 * cost.flops / seconds / peak;
  row.gbytes_s = 1e-9 * cost.moved_bytes() / seconds;
  row.bandwidth_pct = 100.0 * cost.moved_bytes() / seconds / read_bytes_per_second;
  // A written line is read first, and so moves twice.
  const double moved_seconds = (cost.read_bytes + 2.0 * cost.written_bytes) / read_bytes_per_second;
  row.roofline_pct = 100.0 * std::max(cost.flops / peak, moved_seconds) / seconds;
  row.instructions_per_cycle = meter.instructions_per_cycle();
  if (row.status.empty()) row.status = meter.is_busy() ? "ok busy" : "ok";
}

void compare_with_bases(std::vector<Run>& runs) {
  for (Run& run : runs)
    for (const Run& other : runs)
      if (run.row.is_measured && other.row.is_measured && other.subject->preset == run.subject->base &&
          other.row.path == run.row.path && other.row.isa == run.row.isa)
        run.row.ratio = run.row.median_us / other.row.median_us;
}

}  // namespace

void prepare(Subject& subject) {
  try {
    subject.workload = std::make_unique<Workload>(subject.spec);
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

std::vector<Row> measure_group(std::vector<Subject>& group, const std::vector<Setting>& settings,
                               double read_bytes_per_second) {
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
      start(run, setting);
    }
  const auto call_of = [](Run& run) {
    // The same call has just succeeded.
    return [&run] { static_cast<void>(run.call()); };
  };
  for (Run& run : runs)
    if (run.can_run) run.sampler.warm_up(call_of(run));

  const auto take_windows = [&] {
    for (auto& [isa, meter] : meters) meter.take_window();
  };
  const auto is_unfinished = [&](const Run& run) { return run.can_run && !run.sampler.has_enough(min_seconds); };
  while (std::any_of(runs.begin(), runs.end(), is_unfinished)) {
    take_windows();
    for (Run& run : runs)
      if (run.can_run) run.sampler.take_turn(call_of(run), turn_seconds);
  }
  take_windows();

  for (Run& run : runs)
    if (run.can_run) finish(run, meters.at(std::string(run.options.isa)), read_bytes_per_second);
  compare_with_bases(runs);
  std::vector<Row> rows;
  for (Run& run : runs) rows.push_back(std::move(run.row));
  return rows;
}

}  // namespace heed::perf
