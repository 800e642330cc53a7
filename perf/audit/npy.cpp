// SPDX-License-Identifier: Apache-2.0
// Reads and writes .npy files; npy_dictionary.cpp knows the text in their header.
#include "audit/npy.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "audit/error.hpp"

namespace heed::audit {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie in the file");

constexpr std::string_view magic = "\x93NUMPY";

std::string system_reason(int error) { return std::generic_category().message(error); }

std::uint64_t file_bytes(const std::string& path, const std::string& name) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw Error(name + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw Error(name + ": not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw Error(name + ": " + error.message());
  return size;
}

void read_exactly(std::ifstream& file, void* target, std::uint64_t bytes, const std::string& name, const char* what) {
  file.read(static_cast<char*>(target), static_cast<std::streamsize>(bytes));
  if (static_cast<std::uint64_t>(file.gcount()) != bytes)
    throw Error(name + ": truncated: " + std::to_string(file.gcount()) + " of the " + std::to_string(bytes) +
                " bytes of its " + what);
}

// The text of the header; afterwards the file stands at the first element.
std::string read_header_text(std::ifstream& file, std::uint64_t size, const std::string& name) {
  std::array<char, 8> start{};
  if (size < start.size()) throw Error(name + ": not an .npy file: " + std::to_string(size) + " bytes long");
  read_exactly(file, start.data(), start.size(), name, "magic string");
  if (std::string_view(start.data(), magic.size()) != magic) throw Error(name + ": not an .npy file");
  const int version = start[6], minor = start[7];
  if (version < 1 || version > 3 || minor != 0)
    throw Error(name + ": .npy version " + std::to_string(version) + "." + std::to_string(minor) +
                ", expected 1.0, 2.0 or 3.0");
  std::array<unsigned char, 4> length{};
  read_exactly(file, length.data(), version == 1 ? 2 : 4, name, "header length");
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < length.size(); ++i) bytes |= std::uint64_t{length[i]} << (8 * i);
  const std::uint64_t left = size - static_cast<std::uint64_t>(file.tellg());
  if (bytes > left)
    throw Error(name + ": truncated: a header of " + std::to_string(bytes) + " bytes, " + std::to_string(left) +
                " are left in the file");
  std::string text(bytes, '\0');
  read_exactly(file, text.data(), bytes, name, "header");
  return text;
}

// The bytes that a shape stands for. A shape that has a 0 needs no bytes whatever else it claims, so
// there the other sizes are held to what a degenerate call could want.
std::uint64_t claimed_bytes(const NpyHeader& header, const std::string& name) {
  constexpr std::int64_t most_of_nothing = std::int64_t{1} << 24;
  std::int64_t others = 1;
  bool is_empty = false;
  for (const std::int64_t extent : header.shape) {
    is_empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(others, extent, &others))
      throw Error(name + ": shape " + shape_text(header.shape) + " does not fit 64 bits");
  }
  if (is_empty && others > most_of_nothing)
    throw Error(name + ": shape " + shape_text(header.shape) + " is empty, yet its other sizes are huge");
  std::int64_t bytes = 0;
  if (!is_empty && __builtin_mul_overflow(others, type_bytes(header.type), &bytes))
    throw Error(name + ": shape " + shape_text(header.shape) + " does not fit 64 bits");
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::int64_t NpyArray::size() const { return static_cast<std::int64_t>(bytes.size()) / type_bytes(type); }

std::string_view type_name(NpyType type) {
  constexpr std::array<std::string_view, 6> names = {"float32", "float64", "bool", "uint8", "int32", "int64"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t type_bytes(NpyType type) {
  constexpr std::array<std::int64_t, 6> bytes = {4, 8, 1, 1, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

NpyArray read_npy(const std::string& path, const std::string& name) {
  const std::uint64_t size = file_bytes(path, name);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": cannot be opened: " + system_reason(errno));
  NpyHeader header = parse_npy_dictionary(read_header_text(file, size, name), name);
  const std::uint64_t wanted = claimed_bytes(header, name);
  const std::uint64_t left = size - static_cast<std::uint64_t>(file.tellg());
  if (wanted != left)
    throw Error(name + (left < wanted ? ": truncated" : ": too long") + ": shape " + shape_text(header.shape) + " of " +
                std::string(type_name(header.type)) + " needs " + std::to_string(wanted) + " bytes, the file has " +
                std::to_string(left));
  NpyArray array{header.type, std::move(header.shape), std::vector<std::byte>(wanted)};
  read_exactly(file, array.bytes.data(), wanted, name, "elements");
  return array;
}

void write_npy(const std::string& path, const std::string& name, NpyType type, std::span<const std::int64_t> shape,
               const void* data) {
  constexpr std::array<std::string_view, 6> descr = {"<f4", "<f8", "|b1", "|u1", "<i4", "<i8"};
  std::string text =
      "{'descr': '" + std::string(descr[static_cast<std::size_t>(type)]) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ", ";
  text += "), }";
  const std::size_t start = magic.size() + 4;
  text.append((64 - (start + text.size() + 1) % 64) % 64, ' ');  // numpy aligns the elements to 64 bytes
  text += '\n';

  NpyHeader header{type, {shape.begin(), shape.end()}};
  const std::uint64_t bytes = claimed_bytes(header, name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << magic << '\x01' << '\0' << static_cast<char>(text.size() & 0xff) << static_cast<char>(text.size() >> 8)
       << text;
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) throw Error(name + ": could not be written in full");
}

}  // namespace heed::audit
