// SPDX-License-Identifier: Apache-2.0
// The options of heed-sweep.
#pragma once

#include <optional>

#include "sweep/arguments.hpp"

namespace heed::perf {

// An exit status beside those of argument_error.hpp.
inline constexpr int regressions = 3;

// Help and mistakes are printed; the exit status is then there.
std::optional<int> parse_command_line(int argc, char** argv, SweepArguments& arguments);

}  // namespace heed::perf
