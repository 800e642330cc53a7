// SPDX-License-Identifier: Apache-2.0
// Where arguments lie in memory: how far strides reach, and which outputs overlap what. By address
// range: two arguments that interleave without sharing an element count as overlapping.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace heed {

// An argument of any rank and element type, as the checks see it.
struct Array {
  const char* name;
  const void* data;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;  // in elements
  std::int64_t element_bytes;
};

bool has_elements(const Array& array);

// Bytes [low, high) around the first element. A size of 0 counts as 1: code may step over an empty
// dimension's neighbours without reading anything.
struct ByteExtent {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::optional<std::size_t> overflow;  // the dimension at which 64 bits no longer hold it
};
ByteExtent byte_extent(const Array& array);

// Addresses [begin, end).
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
// Nothing where it would wrap around the address space. The array has elements and an extent.
std::optional<AddressRange> address_range(const Array& array);

enum class Access { read, write };

// The arguments so far. Inputs may overlap each other; an output may overlap nothing.
class ArgumentMap {
 public:
  // The name of an earlier argument that this one must not overlap but does, or null.
  const char* add(const char* name, AddressRange range, Access access);

 private:
  struct Entry {
    const char* name;
    AddressRange range;
    Access access;
  };
  static constexpr std::size_t argument_count =
      48;  // a module: fifteen pointers, three tensors, ten in Options and ten in a query scaling
  std::array<Entry, argument_count> entries_{};
  std::size_t size_ = 0;
};

}  // namespace heed
