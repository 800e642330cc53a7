// SPDX-License-Identifier: Apache-2.0
// Linear layers over the rows of matrices: by oneDNN where it is built in and takes the strides, else by loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "paths/scratchpad.hpp"
#include "plan/problem.hpp"

namespace heed {

// y[b, h, n, c] = sum over i of weights[h * channels + c, i] x[b, 0, n, i] + bias[h * channels + c].
// The channels of x and of y lie side by side.
struct LinearJob {
  View<const float> x;
  View<float> y;
  std::int64_t batch, tokens, heads, channels, inputs;
  const float* weights;
  std::int64_t output_stride, input_stride;
  const float* bias;        // null: none
  const std::byte* packed;  // null: weights are not packed
};

// Rows are shared among threads in blocks that depend on the jobs alone, and so do the bits.
void run_linear(std::span<const LinearJob> jobs, int threads) noexcept;

// A part of a job that one thread does: a plain product.
struct LinearBlock {
  const float* x;
  std::int64_t rows, x_stride;
  const float* weights;
  std::int64_t outputs, inputs, output_stride, input_stride;
  const float* bias;
  const std::byte* packed;
  float* y;
  std::int64_t y_stride;
};

// False, and nothing useful is written, where oneDNN isn't built in, doesn't take the strides, or gets no memory.
bool multiply_by_onednn(const LinearBlock& block, Scratchpad& scratchpad) noexcept;
// 0 and false where oneDNN isn't built in or fails.
std::size_t packed_weights_size(std::int64_t outputs, std::int64_t inputs) noexcept;
bool pack_weights(const float* weights, std::int64_t outputs, std::int64_t inputs, std::int64_t output_stride,
                  std::int64_t input_stride, std::byte* packed) noexcept;

void multiply_by_loops(const LinearBlock& block) noexcept;

}  // namespace heed
