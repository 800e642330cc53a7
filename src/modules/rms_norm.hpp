// SPDX-License-Identifier: Apache-2.0
// RMS norm of the channels of each head, in place.
#pragma once

#include <cstdint>

#include "plan/problem.hpp"

namespace heed {

struct RmsNormJob {
  View<float> y;  // [batch, heads, tokens, channels], channels side by side
  std::int64_t batch, heads, tokens, channels;
  const float* weights;
  float epsilon;
};

void run_rms_norm(const RmsNormJob& job, int threads) noexcept;

}  // namespace heed
