// SPDX-License-Identifier: Apache-2.0
// What an audit found, as a table for people and as JSON for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "audit/path_run.hpp"
#include "audit/shown.hpp"
#include "audit/table.hpp"

namespace heed::audit {

// A path that this build or machine does not have, and the library's reason.
struct AbsentPath {
  std::string path, reason;
};

struct Report {
  std::vector<PathReport> paths;
  std::vector<AbsentPath> absent;
  std::vector<std::string> notes;
  bool is_ok() const;
};

// The lines above the table, and the table, the same on the terminal and on the page.
std::string call_text(const Call& call);
std::string visibility_text(const Call& call, const AllRowFacts& facts);
std::string bounds_text(const AllRowFacts& facts);
Table parity_table(const Call& call, const Report& report);

void print_table(std::ostream& out, const Call& call, const AllRowFacts& facts, const Report& report);
// `shown` may be null.
std::string to_json(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report,
                    const Shown* shown);

}  // namespace heed::audit
