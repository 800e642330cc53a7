// SPDX-License-Identifier: Apache-2.0
// See text.hpp.
#include "audit/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace heed::audit {

std::string text(const char* format, ...) {
  char buffer[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

std::string number(double value) { return value == 0.0 ? "0" : number("%.2e", value); }

std::string number(const char* format, double value) {
  if (std::isnan(value)) return "NaN";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::size_t characters(std::string_view utf8) {
  return utf8.size() - static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), continues));
}

std::string verdict(bool holds) { return holds ? "ok" : "FAIL"; }

}  // namespace heed::audit
