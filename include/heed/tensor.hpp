// SPDX-License-Identifier: Apache-2.0
// heed: tensors as views of the caller's memory. heed/tensor.h is the same for C.
#pragma once

#include <array>
#include <cstdint>

namespace heed {

// Element types. f32 runs; the others are named so that a tensor can say what it holds, and answer
// `unsupported` until they run.
enum class DType : std::int32_t { f32 = 0, f16 = 1, bf16 = 2, i8 = 3 };

// Sizes or strides, logically [batch, heads, tokens, channels] whatever the storage order.
using Dims = std::array<std::int64_t, 4>;

// A view that owns nothing. Strides count elements; 0 broadcasts; negative is allowed; the stride of
// a size-1 dimension is ignored. A channel stride other than 1 is honoured but slower. Nothing has
// to be aligned beyond its element. `data` may be null when the tensor has no elements.
struct ConstTensor {
  const void* data = nullptr;
  Dims shape{};
  Dims strides{};
  DType dtype = DType::f32;
};

// The same for outputs.
struct Tensor {
  void* data = nullptr;
  Dims shape{};
  Dims strides{};
  DType dtype = DType::f32;
  operator ConstTensor() const noexcept { return {data, shape, strides, dtype}; }
};

namespace detail {
// Sizes too large to exist give wrapped strides; the call then answers size_overflow.
constexpr std::int64_t wrapping_product(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
}  // namespace detail

// A contiguous float tensor stored as [batch, heads, tokens, channels].
constexpr Dims bhnd_strides(std::int64_t heads, std::int64_t tokens, std::int64_t channels) noexcept {
  const std::int64_t head = detail::wrapping_product(tokens, channels);
  return {detail::wrapping_product(heads, head), head, channels, 1};
}
constexpr Tensor bhnd(float* data, std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                      std::int64_t channels) noexcept {
  return {data, {batch, heads, tokens, channels}, bhnd_strides(heads, tokens, channels)};
}
constexpr ConstTensor bhnd(const float* data, std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                           std::int64_t channels) noexcept {
  return {data, {batch, heads, tokens, channels}, bhnd_strides(heads, tokens, channels)};
}

// A contiguous float tensor stored as [batch, tokens, heads, channels], as a projection leaves it.
// The arguments stay in the logical order.
constexpr Dims bnhd_strides(std::int64_t heads, std::int64_t tokens, std::int64_t channels) noexcept {
  const std::int64_t token = detail::wrapping_product(heads, channels);
  return {detail::wrapping_product(tokens, token), channels, token, 1};
}
constexpr Tensor bnhd(float* data, std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                      std::int64_t channels) noexcept {
  return {data, {batch, heads, tokens, channels}, bnhd_strides(heads, tokens, channels)};
}
constexpr ConstTensor bnhd(const float* data, std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                           std::int64_t channels) noexcept {
  return {data, {batch, heads, tokens, channels}, bnhd_strides(heads, tokens, channels)};
}

}  // namespace heed
