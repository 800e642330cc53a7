// SPDX-License-Identifier: Apache-2.0
// What an audit found, as a table for people and as JSON for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "audit/path_run.hpp"

namespace heed::audit {

struct Report {
  std::vector<PathReport> paths;
  std::vector<std::string> notes;
  bool is_ok() const;
};

void print_table(std::ostream& out, const Call& call, const AllRowFacts& facts, const Report& report);
std::string to_json(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report);

}  // namespace heed::audit
