// SPDX-License-Identifier: Apache-2.0
// A rotary table and its memory, NaN at first, for the tests of rotary positions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "heed/rotary.hpp"

namespace heed::tests {

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Table {
  Table(std::int64_t positions, std::int64_t width)
      : cosines(static_cast<std::size_t>(positions * width / 2), nan),
        sines(cosines),
        table{cosines.data(), sines.data(), positions, width} {}
  std::vector<float> cosines, sines;
  RotaryTable table;
};

inline std::string said(const Status& status) { return status.message(); }

}  // namespace heed::tests
