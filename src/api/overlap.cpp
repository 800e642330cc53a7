// SPDX-License-Identifier: Apache-2.0
// Extents and ranges in checked 64-bit arithmetic.
#include "api/overlap.hpp"

#include <algorithm>

namespace heed {

bool has_elements(const Array& array) {
  return std::ranges::none_of(array.shape, [](std::int64_t size) { return size == 0; });
}

ByteExtent byte_extent(const Array& array) {
  ByteExtent extent{0, array.element_bytes, {}};
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] <= 1) continue;
    std::int64_t bytes = 0;
    std::int64_t length = 0;
    const bool overflows = __builtin_mul_overflow(array.shape[d] - 1, array.strides[d], &bytes) ||
                           __builtin_mul_overflow(bytes, array.element_bytes, &bytes) ||
                           (bytes < 0 ? __builtin_add_overflow(extent.low, bytes, &extent.low)
                                      : __builtin_add_overflow(extent.high, bytes, &extent.high)) ||
                           __builtin_sub_overflow(extent.high, extent.low, &length);
    if (overflows) {
      extent.overflow = d;
      return extent;
    }
  }
  return extent;
}

std::optional<AddressRange> address_range(const Array& array) {
  const ByteExtent extent = byte_extent(array);
  const auto address = reinterpret_cast<std::uintptr_t>(array.data);
  AddressRange range;
  if (__builtin_add_overflow(address, extent.low, &range.begin)) return {};
  if (__builtin_add_overflow(address, extent.high, &range.end)) return {};
  return range;
}

const char* ArgumentMap::add(const char* name, AddressRange range, Access access) {
  for (const Entry& other : std::span(entries_).first(size_)) {
    const bool may_overlap = access == Access::read && other.access == Access::read;
    if (!may_overlap && range.begin < other.range.end && other.range.begin < range.end) return other.name;
  }
  if (size_ < entries_.size()) entries_[size_++] = {name, range, access};
  return nullptr;
}

}  // namespace heed
