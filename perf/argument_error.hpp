// SPDX-License-Identifier: Apache-2.0
// How the programs that measure leave when they can't do what they were asked.
#pragma once

#include <string>

namespace heed::perf {

// Exit statuses.
inline constexpr int failed_rows = 1, bad_arguments = 2;

// A mistake in the arguments, told to the user.
struct ArgumentError {
  std::string message;
};

}  // namespace heed::perf
