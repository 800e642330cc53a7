// SPDX-License-Identifier: Apache-2.0
// A linear layer as one product of oneDNN.
#include "paths/linear.hpp"
#include "paths/onednn_primitives.hpp"

namespace heed {
namespace {

// Beyond it packed weights win nothing.
constexpr std::int64_t most_packed_rows = 64;

// A product, and the weights that it reads.
struct Product {
  OneDnnHandle handle;
  const float* weights;
};

Product find_linear(const LinearBlock& block, const Matrices& x, const Matrices& weights, const Matrices& y) {
  const bool has_bias = block.bias != nullptr;
  const auto is_dense = [](const Matrices& m) { return m.rows == 1 || m.row_stride == m.columns; };
  if (block.packed != nullptr && block.rows <= most_packed_rows && is_dense(x) && is_dense(y))
    if (OneDnnHandle product = find_packed_product(block.rows, block.inputs, block.outputs, has_bias))
      return {product, reinterpret_cast<const float*>(block.packed)};
  return {is_plain(weights) ? find_product(x, weights, y, 1.0f, has_bias) : nullptr, block.weights};
}

}  // namespace

bool multiply_by_onednn(const LinearBlock& block, Scratchpad& scratchpad) noexcept try {
  const Matrices x{1, block.rows, block.inputs, 0, block.x_stride, 1};
  const Matrices weights{1, block.inputs, block.outputs, 0, block.input_stride, block.output_stride};
  const Matrices y{1, block.rows, block.outputs, 0, block.y_stride, 1};
  if (block.inputs == 0 || !is_plain(x) || !is_plain(y)) return false;
  const auto [product, read] = find_linear(block, x, weights, y);
  if (product == nullptr) return false;
  run_product(*product, block.x, read, block.y, scratchpad.get(scratchpad_bytes(*product)), block.bias);
  return true;
} catch (...) {
  return false;
}

std::size_t packed_weights_size(std::int64_t outputs, std::int64_t inputs) noexcept try {
  return outputs == 0 || inputs == 0 ? 0 : packed_bytes(inputs, outputs);
} catch (...) {
  return 0;
}

bool pack_weights(const float* weights, std::int64_t outputs, std::int64_t inputs, std::int64_t output_stride,
                  std::int64_t input_stride, std::byte* packed) noexcept try {
  const Matrices matrix{1, inputs, outputs, 0, input_stride, output_stride};
  if (!is_plain(matrix)) return false;
  pack(matrix, weights, packed);
  return true;
} catch (...) {
  return false;
}

}  // namespace heed
