// SPDX-License-Identifier: Apache-2.0
// Arrays in numpy's .npy files: C order, little-endian, six element types. A header is believed only
// when the size of the file agrees with it, so a lie costs an error and no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::audit {

enum class NpyType { float32, float64, boolean, uint8, int32, int64 };

struct NpyHeader {
  NpyType type = NpyType::float32;
  std::vector<std::int64_t> shape;
};

struct NpyArray {
  NpyType type = NpyType::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::int64_t size() const;
  template <class Element>
  std::span<const Element> elements() const {
    return {reinterpret_cast<const Element*>(bytes.data()), bytes.size() / sizeof(Element)};
  }
};

std::string_view type_name(NpyType type);
std::int64_t type_bytes(NpyType type);
std::string shape_text(std::span<const std::int64_t> shape);  // "[8, 19, 384]"

// The dictionary inside a header, as numpy writes it. `name` opens the text of an Error.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name);

// Throws Error("<name>: <reason>").
NpyArray read_npy(const std::string& path, const std::string& name);

// Format version 1.0. Throws Error("<name>: <reason>") when not every byte could be written.
void write_npy(const std::string& path, const std::string& name, NpyType type, std::span<const std::int64_t> shape,
               const void* data);

}  // namespace heed::audit
