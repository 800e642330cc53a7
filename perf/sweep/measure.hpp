// SPDX-License-Identifier: Apache-2.0
// Measures calls: time, rates against what the machine can do, and error against the reference.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "cost.hpp"
#include "roofline.hpp"
#include "workload.hpp"

namespace heed::perf {

// A call to be measured, with its right answer. Tensors are made once and serve every path and ISA.
struct Subject {
  std::string preset;
  Spec spec;
  std::string base{};  // preset that its time is compared with, in the same group; empty: none

  std::string problem{};  // why it can't run; empty when it can
  std::unique_ptr<Workload> workload{};
  std::unique_ptr<Workload> twin{};  // the same elsewhere in memory; for cold calls only
  Answer answer{};
  Cost cost{};
};

// Sampled rows are drawn by this seed, and are this much work for the reference.
inline constexpr std::uint64_t sample_seed = 1;
inline constexpr double sample_multiply_adds = 5e7;

// Makes tensors and answer; says in `problem` why not.
void prepare(Subject& subject, bool is_cold);

// The same tensors elsewhere in memory: where they lie can make a call slower, all the time. Left where
// they are if there is no room.
void move_in_memory(Subject& subject);

struct Setting {
  Path path = Path::streaming;
  std::string isa{};  // what runs, or is the most that oneDNN may use; empty for the reference
  int threads = 1;
  double min_seconds = 0.3;
  // Each sample is one call with its tensors in memory only. Code, scratch and threads are awake: the
  // same call on the subject's twin comes right before it.
  bool is_cold = false;
};

struct Row {
  std::string preset{}, spec{}, path{}, isa{}, storage{};
  int threads = 1;
  bool is_cold = false;
  double median_us = 0.0, spread_pct = 0.0;
  std::size_t samples = 0;
  double gflops = 0.0, peak_pct = 0.0, gbytes_s = 0.0, bandwidth_pct = 0.0, roofline_pct = 0.0;
  double max_err = 0.0;
  std::string status{};      // "ok", "ok busy", "wrong" or a message
  bool is_measured = false;  // the numbers are there
  bool is_failed = false;
  bool is_busy = false;
  std::optional<double> ratio{};     // time / time of the base
  std::optional<double> to_first{};  // time / time of the same preset's first path, ISA and storage
  double flops_per_byte = 0.0;
  double peak_gflops = 0.0, read_gbytes_s = 0.0, copy_gbytes_s = 0.0;  // the machine's, for this row's threads
  double instructions_per_cycle = 0.0;
};

// One row for each subject and setting, all settings of one thread count. They take turns, so that ratios
// survive a machine that changes its speed. Peak and instruction rate are measured between the turns.
std::vector<Row> measure_group(std::vector<Subject>& group, const std::vector<Setting>& settings,
                               const Bandwidth& bandwidth);

}  // namespace heed::perf
