// SPDX-License-Identifier: Apache-2.0
// The whole run of heed-sweep.
#pragma once

#include "sweep/arguments.hpp"

namespace heed::perf {

// The exit status. Throws ArgumentError.
int sweep(const SweepArguments& arguments);

// Two files side by side instead of a run.
int compare_files(const std::string& before, const std::string& after);

}  // namespace heed::perf
