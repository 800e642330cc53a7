// SPDX-License-Identifier: Apache-2.0
// What the command line of heed-sweep asks for: groups of calls, and settings to run each under.
#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace heed::perf {

struct SweepArguments {
  std::vector<std::string> presets{}, specs{}, isas{}, paths = {"streaming"};
  std::vector<int> threads{};
  double min_seconds = 0.3;
  std::string csv{};
  bool is_quick = false, wants_list = false;
};

// A mistake in the arguments, told to the user.
struct ArgumentError {
  std::string message;
};

// Both throw ArgumentError. A group is a base with the rows that are compared with it.
std::vector<std::vector<Subject>> groups_of(const SweepArguments& arguments);
std::vector<Setting> settings_of(const SweepArguments& arguments);

}  // namespace heed::perf
