// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers: the same on every machine and standard library, which <random> doesn't promise.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>

namespace heed::perf {

// The finaliser of splitmix64.
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// splitmix64: every seed is a good one.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    return mix(state_);
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

}  // namespace heed::perf
