// SPDX-License-Identifier: Apache-2.0
// Makes each attention call of a model by every path asked for, on the same inputs: time, memory, and how far the
// results are apart. The first path's result is what the model goes on with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace heed::perf {

// All calls of one name, by one path.
struct PathFigures {
  double seconds = 0.0;
  double memory_mib = 0.0;  // the most that one call had resident beyond what was there; NaN: not known here
};
struct CallFigures {
  std::string stage, name;
  std::int64_t calls = 0;
  std::vector<PathFigures> paths;
  double difference = 0.0;  // the largest of any two paths
};

struct StageFigures {
  std::string name;
  double seconds = 0.0;  // by the first path, with the norms and sums between its calls
};

class Probe {
 public:
  Probe(std::vector<Path> paths, int threads, bool shows_progress)
      : paths_(std::move(paths)), threads_(threads), shows_progress_(shows_progress) {}

  void begin_stage(const std::string& name);
  void end_stage();
  // `run` makes the call with these options and writes `out`; throws std::runtime_error where it can't.
  void call(const char* name, const Tensor& out, const std::function<Status(const Options&)>& run);
  // `done` of `all` pieces of the stage: a line on stderr, where that is a terminal.
  void progress(std::int64_t done, std::int64_t all) const;

  int threads() const { return threads_; }
  const std::vector<Path>& paths() const { return paths_; }
  const std::vector<CallFigures>& calls() const { return calls_; }
  const std::vector<StageFigures>& stages() const { return stages_; }
  double resident_peak_mib() const { return resident_peak_; }  // of the whole process, up to the last stage's end

 private:
  CallFigures& figures_of(const char* name);

  std::vector<Path> paths_;
  int threads_;
  bool shows_progress_;
  std::vector<CallFigures> calls_;
  std::vector<StageFigures> stages_;
  double stage_began_ = 0.0, other_paths_ = 0.0;  // seconds
  double resident_peak_ = 0.0;
};

}  // namespace heed::perf
