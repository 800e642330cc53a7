// SPDX-License-Identifier: Apache-2.0
// Lists of specs in a file: one a line, with a name before it or none. What follows a # is a comment.
//
//   # our service
//   encoder  b=8 h=12:12 n=384:384 d=64:64 key_mask=blocked
//   b=1 h=32:8 n=1:4096 d=128:128
#pragma once

#include <string>
#include <vector>

#include "spec.hpp"

namespace heed::perf {

struct NamedSpec {
  std::string name;  // "-" where none is given
  Spec spec;
};

// Throws ArgumentError with file and line.
std::vector<NamedSpec> read_spec_file(const std::string& path);

}  // namespace heed::perf
