// SPDX-License-Identifier: Apache-2.0
// A linear layer as one product of oneDNN.
#include "paths/linear.hpp"
#include "paths/onednn_primitives.hpp"

namespace heed {

bool multiply_by_onednn(const LinearBlock& block, Scratchpad& scratchpad) noexcept try {
  const Matrices x{1, block.rows, block.inputs, 0, block.x_stride, 1};
  const Matrices weights{1, block.inputs, block.outputs, 0, block.input_stride, block.output_stride};
  const Matrices y{1, block.rows, block.outputs, 0, block.y_stride, 1};
  if (block.inputs == 0 || !is_plain(x) || !is_plain(weights) || !is_plain(y)) return false;
  const OneDnnHandle product = find_product(x, weights, y, 1.0f, block.bias != nullptr);
  run_product(*product, block.x, block.weights, block.y, scratchpad.get(scratchpad_bytes(*product)), block.bias);
  return true;
} catch (...) {
  return false;
}

}  // namespace heed
