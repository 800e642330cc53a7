// SPDX-License-Identifier: Apache-2.0
// Samples of one call's time: median, spread, and when there are enough of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace heed::perf {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// share 0.5: the median. Between two samples, a straight line.
inline double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

inline double median(const std::vector<double>& values) { return percentile(values, 0.5); }

// Times a call in turns, so that several samplers can alternate and share a machine's moods.
class Sampler {
 public:
  // Two calls that don't count: the first one touches memory, the second one tells how long a call
  // takes. A sample is so many calls that the clock's own cost does not show.
  template <class Call>
  void warm_up(Call call) {
    call();
    const double start = now_seconds();
    call();
    const double seconds = std::max(now_seconds() - start, 1e-9);
    is_short_ = seconds < turn_warm_up_limit;
    calls_per_sample_ = std::max<std::size_t>(1, static_cast<std::size_t>(shortest_sample / seconds));
  }

  // Samples for about so long, at least one. Others may have used the caches since: a short call's
  // first run of a turn doesn't count.
  template <class Call>
  void take_turn(Call call, double turn_seconds) {
    if (is_short_) call();
    for (const double turn_start = now_seconds(); now_seconds() - turn_start < turn_seconds;) {
      const double start = now_seconds();
      for (std::size_t repeat = 0; repeat < calls_per_sample_; ++repeat) call();
      const double seconds = now_seconds() - start;
      total_seconds_ += seconds;
      samples_.push_back(seconds / static_cast<double>(calls_per_sample_));
    }
  }

  // The same where each call needs something done before it that doesn't count: a sample is one call.
  template <class Prepare, class Call>
  void take_prepared_turn(Prepare prepare, Call call, double turn_seconds) {
    for (const double turn_start = now_seconds(); now_seconds() - turn_start < turn_seconds;) {
      const double prepare_start = now_seconds();
      prepare();
      const double start = now_seconds();
      call();
      const double end = now_seconds();
      total_seconds_ += end - prepare_start;
      samples_.push_back(end - start);
    }
  }

  // At least min_seconds in at least five samples; fewer where a call takes longer than that.
  bool has_enough(double min_seconds) const {
    if (samples_.empty()) return false;
    return (total_seconds_ >= min_seconds && samples_.size() >= 5) || total_seconds_ >= 4.0 * min_seconds;
  }

  std::size_t samples() const { return samples_.size(); }

  double median_seconds() const { return median(samples_); }
  double spread_pct() const {
    return 100.0 * (percentile(samples_, 0.9) - percentile(samples_, 0.1)) / median_seconds();
  }

 private:
  static constexpr double shortest_sample = 20e-6;    // the clock costs about 50 ns: 0.3 %
  static constexpr double turn_warm_up_limit = 5e-3;  // a longer call hardly notices cold caches

  bool is_short_ = false;
  std::size_t calls_per_sample_ = 1;
  double total_seconds_ = 0.0;
  std::vector<double> samples_;
};

}  // namespace heed::perf
