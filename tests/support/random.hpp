// SPDX-License-Identifier: Apache-2.0
// Seeded inputs: the same numbers on every machine and standard library, which <random> doesn't promise.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace heed::tests {

// splitmix64: every seed is a good one.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  std::int64_t between(std::int64_t low, std::int64_t high) {               // inclusive
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return uniform() < probability; }
  float normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * uniform()));
  }
  template <class Choices>
  auto pick(const Choices& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(std::size(choices)) - 1))];
  }

 private:
  std::uint64_t state_;
};

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
