// SPDX-License-Identifier: Apache-2.0
// y / sqrt(mean(y^2) + epsilon) * weights
#include "modules/rms_norm.hpp"

#include <algorithm>
#include <cmath>

#include "paths/parallel_for.hpp"

namespace heed {
namespace {

// Sums side by side: one sum would wait for each addition.
float mean_of_squares(const float* y, std::int64_t channels) {
  constexpr std::int64_t width = 8;
  float sums[width] = {};
  std::int64_t c = 0;
  for (; c + width <= channels; c += width)
    for (std::int64_t i = 0; i < width; ++i) sums[i] += y[c + i] * y[c + i];
  for (; c < channels; ++c) sums[c % width] += y[c] * y[c];
  float sum = 0.0f;
  for (const float part : sums) sum += part;
  return sum / static_cast<float>(channels);
}

// Items: batch, token, head.
void norm_rows(const void* context, std::int64_t begin, std::int64_t end, int) noexcept {
  const auto& job = *static_cast<const RmsNormJob*>(context);
  for (std::int64_t index = begin; index < end; ++index) {
    float* const y = job.y.row(index / job.heads / job.tokens, index % job.heads, index / job.heads % job.tokens);
    const float factor = 1.0f / std::sqrt(mean_of_squares(y, job.channels) + job.epsilon);
    for (std::int64_t c = 0; c < job.channels; ++c) y[c] = y[c] * factor * job.weights[c];
  }
}

}  // namespace

void run_rms_norm(const RmsNormJob& job, int threads) noexcept {
  // 64 KiB of channels: some 20 us.
  const std::int64_t chunk = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(job.channels, 1));
  const std::int64_t rows = job.batch * job.heads * job.tokens;
  parallel_for(rows, chunk, rows > chunk ? threads : 1, norm_rows, &job);
}

}  // namespace heed
