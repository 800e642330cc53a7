// SPDX-License-Identifier: Apache-2.0
// Compares a tensor with wanted values: largest and mean error, and on failure the first bad place,
// both values and the spec.
#pragma once

#include <cmath>
#include <string>

#include "heed/attention.hpp"

namespace heed::tests {

struct Place {
  std::int64_t batch = 0, head = 0, row = 0, dim = 0;
  std::string text() const;
};

// A wanted NaN wants NaN, a wanted infinity wants it exactly; anything else must be a number.
inline bool agrees(double got, double wanted, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted)) return got == wanted;
  return std::abs(got - wanted) <= tolerance;
}

class Comparison {
 public:
  explicit Comparison(std::string what) : what_(std::move(what)) {}
  void add(const Place& place, double got, double wanted, double tolerance);

  bool ok() const { return bad_ == 0; }
  double max_error() const { return max_error_; }
  double mean_error() const { return count_ == 0 ? 0.0 : error_sum_ / static_cast<double>(count_); }
  std::string text(const std::string& spec = "") const;  // empty when ok

 private:
  std::string what_;
  std::int64_t count_ = 0, bad_ = 0;
  double max_error_ = 0.0, error_sum_ = 0.0;
  Place first_{};
  double got_ = 0.0, wanted_ = 0.0, tolerance_ = 0.0;
};

// How far apart two runs of one way may lie, as a share of the larger of 1 and the element: no bit, but for
// oneDNN, whose blocking depends on shapes and strides (the contract excepts it).
inline double run_to_run(Path path) { return path == Path::onednn ? 1e-5 : 0.0; }

// The first element whose bits differ by more than `allowed` (0: at all), or "".
std::string first_difference(const char* what, std::span<const float> got, std::span<const float> wanted,
                             double allowed = 0.0);

}  // namespace heed::tests
