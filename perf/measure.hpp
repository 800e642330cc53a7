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
  std::string base;  // preset that its time is compared with, in the same group; empty: none

  std::string problem;  // why it can't run; empty when it can
  std::unique_ptr<Workload> workload{};
  Answer answer{};
  Cost cost{};
};

// Sampled rows are drawn by this seed, and are this much work for the reference.
inline constexpr std::uint64_t sample_seed = 1;
inline constexpr double sample_multiply_adds = 5e7;

// Makes tensors and answer; says in `problem` why not.
void prepare(Subject& subject);

struct Setting {
  Path path = Path::streaming;
  std::string isa{};  // what runs, or is the most that oneDNN may use; empty for the reference
  int threads = 1;
  double min_seconds = 0.3;
};

struct Row {
  std::string preset{}, spec{}, path{}, isa{};
  int threads = 1;
  double median_us = 0.0, spread_pct = 0.0;
  double gflops = 0.0, peak_pct = 0.0, gbytes_s = 0.0, bandwidth_pct = 0.0, roofline_pct = 0.0;
  double max_err = 0.0;
  std::string status{};      // "ok", "ok busy", "wrong" or a message
  bool is_measured = false;  // the numbers above are there
  bool is_failed = false;
  std::optional<double> ratio{};  // time / time of the base
  double instructions_per_cycle = 0.0;
};

// One row for each subject and setting, all settings of one thread count. They take turns, so that ratios
// survive a machine that changes its speed. Peak and instruction rate are measured between the turns.
std::vector<Row> measure_group(std::vector<Subject>& group, const std::vector<Setting>& settings,
                               double read_bytes_per_second);

}  // namespace heed::perf
