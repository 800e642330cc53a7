// SPDX-License-Identifier: Apache-2.0
// See output_file.hpp.
#include "audit/output_file.hpp"

#include <filesystem>
#include <fstream>

#include "audit/error.hpp"

namespace heed::audit {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

void require_writable(const FileArgument& file) {
  if (!std::ofstream(file.path, std::ios::binary | std::ios::app)) throw Error(file.name() + ": cannot be written");
}

void write_text(const FileArgument& file, const std::string& text) {
  std::ofstream stream(file.path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw Error(file.name() + ": could not be written in full");
}

}  // namespace heed::audit
