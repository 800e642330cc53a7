// SPDX-License-Identifier: Apache-2.0
// A fixed buffer: what is longer is cut.
#include "format.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace heed::perf {

std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

}  // namespace heed::perf
