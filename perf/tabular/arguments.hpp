// SPDX-License-Identifier: Apache-2.0
// The command line of heed-tabular.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace heed::perf {

struct TabularArguments {
  std::string table, target, csv;
  std::vector<std::int64_t> rows, features;  // of drawn tables
  std::vector<int> threads{1};
  std::vector<std::string> paths;
  double train_share = 0.75;
  std::int64_t blocks = 1;
  std::uint64_t seed = 1;
};

// The exit status, where there is nothing left to do.
std::optional<int> parse_command_line(int argc, char** argv, TabularArguments& arguments);
std::vector<Path> paths_of(const TabularArguments& arguments);  // throws ArgumentError

}  // namespace heed::perf
