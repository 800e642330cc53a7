// SPDX-License-Identifier: Apache-2.0
// What the command line of heed-sweep asks for: groups of calls, and settings to run each under.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "argument_error.hpp"
#include "sweep/measure.hpp"
#include "sweep/presets.hpp"

namespace heed::perf {

struct SweepArguments {
  std::vector<std::string> presets{}, specs{}, spec_files{}, isas{}, paths = {"streaming"}, threads{}, storages{};
  std::optional<Tier> tier{};  // unset: quick, where nothing is named
  double min_seconds = 0.3;
  int retries = 2;
  std::string csv{}, json{};
  std::vector<std::string> compare{};  // a file to compare with; a second one is compared instead of measuring
  bool is_cold = false, wants_list = false;
  std::vector<std::string> command{};  // program and arguments, as they came
};

// Both throw ArgumentError. A group is a base with the rows that are compared with it.
std::vector<std::vector<Subject>> groups_of(const SweepArguments& arguments);
std::vector<Setting> settings_of(const SweepArguments& arguments);

}  // namespace heed::perf
