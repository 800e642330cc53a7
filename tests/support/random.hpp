// SPDX-License-Identifier: Apache-2.0
// Seeded inputs of tests.
#pragma once

#include <cstdint>
#include <span>

#include "random_numbers.hpp"

namespace heed::tests {

using perf::Random;

// normal: standard normal. large: normal * 30, scores in the hundreds. equal: one value throughout.
// one_hot: a single 1 in every row of 8. denormal: below the smallest normal float.
enum class Fill { normal, large, equal, one_hot, denormal };

inline void fill(std::span<float> values, Fill kind, Random& random) {
  const auto hot = static_cast<std::size_t>(random.between(0, 7));
  for (std::size_t n = 0; n < values.size(); ++n) {
    switch (kind) {
      case Fill::normal: values[n] = random.normal(); break;
      case Fill::large: values[n] = 30.0f * random.normal(); break;
      case Fill::equal: values[n] = 0.75f; break;
      case Fill::one_hot: values[n] = n % 8 == (hot + n / 8) % 8 ? 1.0f : 0.0f; break;
      case Fill::denormal: values[n] = static_cast<float>(random.between(1, 1000)) * 0x1p-140f; break;
    }
  }
}

}  // namespace heed::tests
