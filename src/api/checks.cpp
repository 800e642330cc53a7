// SPDX-License-Identifier: Apache-2.0
// One mistake, one message.
#include "api/checks.hpp"

#include <array>
#include <cinttypes>
#include <cstdlib>

#include "status.hpp"

namespace heed {
namespace {

constexpr std::array<const char*, 4> dtype_names = {"f32", "f16", "bf16", "i8"};
static_assert(static_cast<int>(DType::i8) + 1 == dtype_names.size(), "a dtype has no name here");

bool is_as_wanted(std::int64_t size, const Wanted& wanted) {
  switch (wanted.rule) {
    case Wanted::Rule::any: return true;
    case Wanted::Rule::exact: return size == wanted.size;
    case Wanted::Rule::one_or_full: return size == 1 || size == wanted.size;
  }
  return false;
}

}  // namespace

bool lies_in_place(const ConstTensor& input, const Tensor& out) {
  if (input.data != out.data) return false;
  for (std::size_t d = 0; d < 4; ++d)
    if (input.shape[d] > 1 && input.strides[d] != out.strides[d]) return false;
  return true;
}

bool Checks::tensor(const char* name, const ConstTensor& tensor, WantedShape wanted) {
  return dtype(name, tensor.dtype) && array({name, tensor.data, tensor.shape, tensor.strides, sizeof(float)}, wanted);
}

bool Checks::output(const char* name, const Tensor& tensor, WantedShape wanted) {
  const Array array{name, tensor.data, tensor.shape, tensor.strides, sizeof(float)};
  return dtype(name, tensor.dtype) && shape(array, wanted) && reach(array) && writable(array) &&
         memory(array, Access::write);
}

bool Checks::array(const Array& array, WantedShape wanted) {
  return shape(array, wanted) && reach(array) && memory(array, Access::read);
}

bool Checks::buffer(const char* name, std::span<std::byte> bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  return memory({name, bytes.data(), {&size, 1}, unit_stride, 1}, Access::write);
}

bool Checks::dtype(const char* name, DType dtype) {
  if (dtype == DType::f32) return true;
  const auto index = static_cast<std::int32_t>(dtype);
  if (index < 0 || index >= static_cast<std::int32_t>(dtype_names.size()))
    return fail(make_status(StatusCode::bad_value, "%s: dtype is %" PRId32 ", expected 0 (f32)", name, index));
  return fail(make_status(StatusCode::unsupported, "%s: dtype is %s, expected f32, the only one that runs", name,
                          dtype_names[static_cast<std::size_t>(index)]));
}

bool Checks::shape(const Array& array, WantedShape wanted) {
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    const std::int64_t size = array.shape[d];
    const Wanted& want = wanted[d];
    if (size < 0)
      return fail(make_status(StatusCode::bad_size, "%s: dimension %zu is %" PRId64 ", expected 0 or more (%s)",
                              array.name, d, size, want.name));
    if (!is_as_wanted(size, want))
      return fail(make_status(StatusCode::shape_mismatch,
                              "%s: dimension %zu is %" PRId64 ", expected %s%" PRId64 " (%s)", array.name, d, size,
                              want.rule == Wanted::Rule::one_or_full ? "1 or " : "", want.size, want.name));
  }
  return true;
}

bool Checks::reach(const Array& array) {
  // Sizes of 0 are left out: work is counted by products of some of the sizes only.
  std::int64_t bytes = array.element_bytes;
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    if (array.shape[d] > 0 && __builtin_mul_overflow(bytes, array.shape[d], &bytes))
      return fail(make_status(StatusCode::size_overflow,
                              "%s: dimension %zu is %" PRId64 ", expected sizes whose product in bytes fits 64 bits",
                              array.name, d, array.shape[d]));
  const ByteExtent extent = byte_extent(array);
  if (!extent.overflow) return true;
  const std::size_t d = *extent.overflow;
  return fail(make_status(StatusCode::size_overflow,
                          "%s: stride %zu is %" PRId64 " over a size of %" PRId64
                          ", expected byte offsets that fit 64 bits",
                          array.name, d, array.strides[d], array.shape[d]));
}

bool Checks::writable(const Array& array) {
  if (!has_elements(array)) return true;
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] == 1) continue;
    if (array.strides[d] == 0)
      return fail(make_status(StatusCode::overlap,
                              "%s: stride %zu is 0 over a size of %" PRId64
                              ", expected an output that does not broadcast",
                              array.name, d, array.shape[d]));
    std::int64_t reach = 0;
    for (std::size_t e = 0; e < array.shape.size(); ++e)
      if (e != d && array.shape[e] > 1 && std::abs(array.strides[e]) <= std::abs(array.strides[d]))
        reach += (array.shape[e] - 1) * std::abs(array.strides[e]);
    if (std::abs(array.strides[d]) <= reach)
      return fail(make_status(StatusCode::overlap,
                              "%s: stride %zu is %" PRId64 " over a size of %" PRId64
                              ", expected more than the %" PRId64 " elements that other strides reach",
                              array.name, d, array.strides[d], array.shape[d], reach));
  }
  return true;
}

bool Checks::memory(const Array& array, Access access) {
  if (!needs_data_ || !has_elements(array)) return true;
  if (array.data == nullptr)
    return fail(
        make_status(StatusCode::null_data, "%s: null pointer, expected the address of its elements", array.name));
  const auto address = reinterpret_cast<std::uintptr_t>(array.data);
  if (address % static_cast<std::uintptr_t>(array.element_bytes) != 0)
    return fail(make_status(StatusCode::bad_value,
                            "%s: address %p, expected a multiple of %" PRId64 ", its element size", array.name,
                            array.data, array.element_bytes));
  const std::optional<AddressRange> range = address_range(array);
  if (!range)
    return fail(make_status(StatusCode::size_overflow, "%s: address %p, expected elements that all have an address",
                            array.name, array.data));
  if (const char* other = arguments_.add(array.name, *range, access))
    return fail(make_status(StatusCode::overlap, "%s: overlaps %s, expected memory apart from it", array.name, other));
  return true;
}

bool Checks::value_count(const char* name, std::int64_t size, const Wanted& count) {
  if (size == count.size) return true;
  return fail(make_status(StatusCode::shape_mismatch, "%s: %" PRId64 " values, expected %" PRId64 " (%s)", name, size,
                          count.size, count.name));
}

}  // namespace heed
