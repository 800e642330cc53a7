// SPDX-License-Identifier: Apache-2.0
// The options of heed-sweep.
#pragma once

#include <optional>

#include "sweep/arguments.hpp"

namespace heed::perf {

// Exit statuses of heed-sweep.
inline constexpr int failed_rows = 1, bad_arguments = 2, regressions = 3;

// Help and mistakes are printed; the exit status is then there.
std::optional<int> parse_command_line(int argc, char** argv, SweepArguments& arguments);

}  // namespace heed::perf
