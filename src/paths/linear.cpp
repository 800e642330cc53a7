// SPDX-License-Identifier: Apache-2.0
// How linear layers are cut into blocks.
#include "paths/linear.hpp"

#include <algorithm>

#include "paths/parallel_for.hpp"

namespace heed {
namespace {

// Fewer matrices with more rows, where they lie side by side.
LinearJob joined(LinearJob job) {
  if (job.heads > 1 && job.y.strides[1] == job.channels) {
    job.channels *= job.heads;
    job.heads = 1;
  }
  const bool is_one_matrix = job.tokens == 1 || (job.x.strides[0] == job.tokens * job.x.strides[2] &&
                                                 job.y.strides[0] == job.tokens * job.y.strides[2]);
  if (job.batch > 1 && is_one_matrix) {
    if (job.tokens == 1) {
      job.x.strides[2] = job.x.strides[0];
      job.y.strides[2] = job.y.strides[0];
    }
    job.tokens *= job.batch;
    job.batch = 1;
  }
  return job;
}

// oneDNN copies the weights for each block, which at 256 rows is a tenth of the product; fewer rows leave threads
// without work.
constexpr std::int64_t rows_per_block = 256;

std::int64_t row_blocks(const LinearJob& job) { return (job.tokens + rows_per_block - 1) / rows_per_block; }
std::int64_t block_count(const LinearJob& job) { return job.batch * job.heads * row_blocks(job); }

LinearBlock block_at(const LinearJob& job, std::int64_t index) {
  const std::int64_t first = index % row_blocks(job) * rows_per_block;
  const std::int64_t head = index / row_blocks(job) % job.heads;
  const std::int64_t batch = index / row_blocks(job) / job.heads;
  const std::int64_t output = head * job.channels;
  return {job.x.row(batch, 0, first),
          std::min(rows_per_block, job.tokens - first),
          job.x.strides[2],
          job.weights + output * job.output_stride,
          job.channels,
          job.inputs,
          job.output_stride,
          job.input_stride,
          job.bias == nullptr ? nullptr : job.bias + output,
          job.heads == 1 ? job.packed : nullptr,
          job.y.row(batch, head, first),
          job.y.strides[2]};
}

void multiply_blocks(const void* context, std::int64_t begin, std::int64_t end, int) noexcept {
  const auto& jobs = *static_cast<const std::span<const LinearJob>*>(context);
  const SerialRegion serial;
  Scratchpad scratchpad;
  for (std::int64_t index = begin; index < end; ++index) {
    std::int64_t within = index;
    std::size_t n = 0;
    for (; within >= block_count(joined(jobs[n])); ++n) within -= block_count(joined(jobs[n]));
    const LinearBlock block = block_at(joined(jobs[n]), within);
    if (!multiply_by_onednn(block, scratchpad)) multiply_by_loops(block);
  }
}

}  // namespace

void run_linear(std::span<const LinearJob> jobs, int threads) noexcept {
  std::int64_t blocks = 0;
  for (const LinearJob& job : jobs) blocks += job.channels > 0 ? block_count(joined(job)) : 0;
  // Blocks of one range share a scratchpad.
  const std::int64_t chunk = std::max<std::int64_t>(1, blocks / (8 * std::max(threads, 1)));
  parallel_for(blocks, chunk, blocks > 1 ? threads : 1, multiply_blocks, &jobs);
}

// Outputs side by side in registers, a few rows at a time. Weights are gathered once for all rows, whatever their
// strides: 16 outputs x 128 inputs, 8 KiB.
void multiply_by_loops(const LinearBlock& block) noexcept {
  constexpr std::int64_t width = 16, depth = 128, height = 4;
  for (std::int64_t output = 0; output < block.outputs; output += width) {
    const std::int64_t outputs = std::min(width, block.outputs - output);
    for (std::int64_t r = 0; r < block.rows; ++r)
      for (std::int64_t o = 0; o < outputs; ++o)
        block.y[r * block.y_stride + output + o] = block.bias == nullptr ? 0.0f : block.bias[output + o];
    for (std::int64_t input = 0; input < block.inputs; input += depth) {
      const std::int64_t inputs = std::min(depth, block.inputs - input);
      float gathered[depth][width] = {};
      for (std::int64_t i = 0; i < inputs; ++i)
        for (std::int64_t o = 0; o < outputs; ++o)
          gathered[i][o] = block.weights[(output + o) * block.output_stride + (input + i) * block.input_stride];
      for (std::int64_t row = 0; row < block.rows; row += height) {
        const std::int64_t rows = std::min(height, block.rows - row);
        float sums[height][width] = {};
        for (std::int64_t i = 0; i < inputs; ++i)
          for (std::int64_t r = 0; r < height; ++r) {
            // Rows beyond the last repeat it: a constant count keeps the sums in registers.
            const float x = block.x[(row + std::min(r, rows - 1)) * block.x_stride + input + i];
            for (std::int64_t o = 0; o < width; ++o) sums[r][o] += x * gathered[i][o];
          }
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t o = 0; o < outputs; ++o) block.y[(row + r) * block.y_stride + output + o] += sums[r][o];
      }
    }
  }
}

}  // namespace heed
