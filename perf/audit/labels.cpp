// SPDX-License-Identifier: Apache-2.0
// See labels.hpp.
#include "audit/labels.hpp"

#include <fstream>
#include <utility>

#include "audit/error.hpp"

namespace heed::audit {
namespace {

// What would move the cursor of a terminal shows as a replacement character.
std::string without_controls(const std::string& line) {
  std::string shown;
  for (const char byte : line) {
    const bool is_control = (byte >= 0 && byte < ' ') || byte == 0x7F;
    shown += is_control ? "\uFFFD" : std::string(1, byte);
  }
  return shown;
}

}  // namespace

Labels read_labels(const FileArgument& file, std::int64_t count, const char* what) {
  if (!file) return {};
  std::ifstream stream(file.path, std::ios::binary);
  if (!stream) throw Error(file.name() + ": cannot be read");
  std::vector<std::string> names;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    // A file that has too many lines may have any number of them.
    if (static_cast<std::int64_t>(names.size()) <= count) names.push_back(without_controls(line));
  }
  if (stream.bad()) throw Error(file.name() + ": cannot be read");
  const auto found = static_cast<std::int64_t>(names.size());
  if (found != count)
    throw Error(file.name() + ": " + (found > count ? "more than " + std::to_string(count) : std::to_string(found)) +
                " lines, expected " + std::to_string(count) + ", one for each " + what);
  return Labels(std::move(names));
}

}  // namespace heed::audit
