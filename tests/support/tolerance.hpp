// SPDX-License-Identifier: Apache-2.0
// How far a result may be from the answer in float64: the numbers that heed/attention.hpp states.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention.hpp"

namespace heed::tests {

inline constexpr double eps32 = 0x1p-23;

// Rows of weights sum to 1 (less with a sink) within this, for every kv_len up to 100,000.
inline constexpr double row_sum_tolerance = 1e-6;

// Standard normal inputs, kv_len >= 100, head_dim <= 128.
inline double normal_out_tolerance(Path path) { return path == Path::onednn ? 3e-6 : 1e-6; }

// One row, by the contract's bound; magnitude is its A.
inline double out_tolerance(double magnitude, double max_abs_v, Path path) {
  return error_bound(magnitude, max_abs_v, path);
}

// A weight's relative error is the error of its score and of the row sum: the same bound with the
// weight as the value. Weights near the smallest normal float may be flushed to 0.
inline double weight_tolerance(double magnitude, double weight, Path path) {
  return std::max(error_bound(magnitude, weight, path), 2.0 * static_cast<double>(std::numeric_limits<float>::min()));
}

// lse = maximum + log(sum): the error of a score, the relative error of the sum, and one rounding.
inline double lse_tolerance(double magnitude, double lse, Path path) {
  return error_bound(magnitude, 1.0, path) + (std::isfinite(lse) ? eps32 * std::abs(lse) : 0.0);
}

}  // namespace heed::tests
