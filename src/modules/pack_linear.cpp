// SPDX-License-Identifier: Apache-2.0
// Packed weights: where they lie in the caller's memory, and whether they are of use.
#include <memory>

#include "modules/check_multi_head.hpp"
#include "paths/linear.hpp"
#include "status.hpp"

namespace heed {
namespace {

constexpr std::size_t alignment = 64;  // of what oneDNN's vector code reads

std::size_t bytes_needed(const Linear& linear) {
  const std::size_t bytes = packed_weights_size(linear.outputs, linear.inputs);
  return bytes == 0 ? 0 : bytes + alignment - 1;
}

}  // namespace

Status packed_size(const Linear& linear, std::size_t& bytes) noexcept {
  if (Status status = check_pack(linear, {}, false); !status.ok()) return status;
  bytes = bytes_needed(linear);
  return {};
}

Status pack(Linear& linear, std::span<std::byte> memory) noexcept {
  if (Status status = check_pack(linear, memory, true); !status.ok()) return status;
  const std::size_t bytes = bytes_needed(linear);
  if (memory.size() < bytes)
    return make_status(StatusCode::scratch_too_small, "memory: %zu bytes, expected at least %zu", memory.size(), bytes);
  linear.packed = nullptr;
  if (bytes == 0) return {};
  void* aligned = memory.data();
  std::size_t room = memory.size();
  auto* const packed = static_cast<std::byte*>(std::align(alignment, bytes - (alignment - 1), aligned, room));
  if (pack_weights(linear.weights, linear.outputs, linear.inputs, linear.output_stride, linear.input_stride, packed))
    linear.packed = packed;
  return {};
}

}  // namespace heed
