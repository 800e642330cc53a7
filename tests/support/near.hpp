// SPDX-License-Identifier: Apache-2.0
// Compares a result with numbers written out in a test.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "support/compare.hpp"

namespace heed::tests {

// "" or the first element that is too far away.
inline std::string difference(const std::vector<float>& got, const std::vector<double>& wanted, double tolerance) {
  if (got.size() != wanted.size())
    return std::to_string(got.size()) + " values, wanted " + std::to_string(wanted.size());
  for (std::size_t n = 0; n < got.size(); ++n) {
    if (agrees(static_cast<double>(got[n]), wanted[n], tolerance)) continue;
    char text[128];
    std::snprintf(text, sizeof text, "value %zu is %.9g, wanted %.9g", n, static_cast<double>(got[n]), wanted[n]);
    return text;
  }
  return "";
}

}  // namespace heed::tests
