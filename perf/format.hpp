// SPDX-License-Identifier: Apache-2.0
// Numbers into text.
#pragma once

#include <string>

namespace heed::perf {

// printf into a string, up to 511 characters.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace heed::perf
