// SPDX-License-Identifier: Apache-2.0
// Names of rows and keys, such as tokens, from text files with one name a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/arguments.hpp"

namespace heed::audit {

class Labels {
 public:
  Labels() = default;
  explicit Labels(std::vector<std::string> names) : names_(std::move(names)) {}
  bool is_given() const { return !names_.empty(); }
  // "" where no names were given.
  std::string at(std::int64_t index) const { return is_given() ? names_[static_cast<std::size_t>(index)] : ""; }
  // "5" or "5 loop".
  std::string numbered(std::int64_t index) const {
    std::string name = std::to_string(index);
    if (is_given()) name.append(" ").append(at(index));
    return name;
  }

 private:
  std::vector<std::string> names_;
};

// No names where the file isn't given. Throws Error when there are not exactly `count` lines; `what` says
// what each line names.
Labels read_labels(const FileArgument& file, std::int64_t count, const char* what);

}  // namespace heed::audit
