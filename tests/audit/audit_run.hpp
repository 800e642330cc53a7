// SPDX-License-Identifier: Apache-2.0
// Runs heed-audit in this process, on files in a folder that goes away with the test.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "audit/exit_code.hpp"
#include "audit/npy.hpp"

namespace heed::tests {

using Arguments = std::vector<std::string>;
Arguments operator+(Arguments first, const Arguments& second);

struct AuditRun {
  int status = 0;
  std::string out, err;
};
AuditRun run_audit(const Arguments& arguments);

// The one line on stderr of a run that must be refused, and prints nothing else.
std::string refusal(const Arguments& arguments);

// Does a text hold a part? Says so where it does not.
bool says(const std::string& text, const std::string& part);

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string bytes_of(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);
nlohmann::json json_of(const std::string& path);
const nlohmann::json& path_in(const nlohmann::json& report, const std::string& path);

template <class Element>
constexpr audit::NpyType npy_type() {
  if constexpr (std::is_same_v<Element, float>) return audit::NpyType::float32;
  if constexpr (std::is_same_v<Element, double>) return audit::NpyType::float64;
  if constexpr (std::is_same_v<Element, std::uint8_t>) return audit::NpyType::uint8;
  if constexpr (std::is_same_v<Element, std::int32_t>) return audit::NpyType::int32;
  if constexpr (std::is_same_v<Element, std::int64_t>) return audit::NpyType::int64;
}

// An array as a test handles it. A bool file is read and written as uint8 with `type` boolean.
template <class Element>
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<Element> values;
  audit::NpyType type = npy_type<Element>();
};

template <class Element>
void write(const std::string& path, const Array<Element>& array) {
  audit::write_npy(path, path, array.type, array.shape, array.values.data());
}

template <class Element>
Array<Element> read(const std::string& path) {
  const audit::NpyArray file = audit::read_npy(path, path);
  const auto values = file.elements<Element>();
  return {file.shape, {values.begin(), values.end()}, file.type};
}

// Standard normal values, the same for the same seed.
Array<float> normal(std::vector<std::int64_t> shape, std::uint32_t seed);
// Cells of 0 and 1, a share of them 1.
Array<std::uint8_t> random_cells(std::vector<std::int64_t> shape, double share, std::uint32_t seed);

}  // namespace heed::tests
