// SPDX-License-Identifier: Apache-2.0
// What this machine can do at this moment: FMA peak of an ISA, instructions per FMA cycle, bandwidth of
// memory. Medians of windows of at least 10 ms; a best-of estimate would lie.
#pragma once

#include <string>
#include <vector>

namespace heed::perf {

// A core that delivers fewer instructions per FMA cycle shares itself with somebody: FMA chains don't
// notice, real kernels do.
inline constexpr double busy_below = 4.5;

// What marks a row as busy: a core that shared itself with somebody, or samples that lie far apart.
inline constexpr double busy_above_spread_pct = 10.0;
inline bool is_busy(double instructions_per_cycle, double spread_pct) {
  return instructions_per_cycle < busy_below || spread_pct > busy_above_spread_pct;
}

// Rates of one ISA on so many threads, measured in between the samples of a row.
class RateMeter {
 public:
  RateMeter(std::string isa, int threads);
  void take_window();  // 20 to 40 ms

  double flops_per_second() const;
  double instructions_per_cycle() const;
  bool is_busy() const { return instructions_per_cycle() < busy_below; }

 private:
  std::string isa_;
  int threads_;
  std::vector<double> flops_per_second_, instructions_per_cycle_;
};

// Bytes per second between so many threads and memory.
struct Bandwidth {
  double read_one_stream = 0.0;
  double read_eight_streams = 0.0;  // per thread
  double copy = 0.0;                // bytes read and bytes written; plain stores, which read a line first
  double read() const { return read_one_stream > read_eight_streams ? read_one_stream : read_eight_streams; }
};
Bandwidth measure_bandwidth(int threads);

}  // namespace heed::perf
