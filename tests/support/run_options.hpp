// SPDX-License-Identifier: Apache-2.0
// What a test program was started with, beside doctest's own arguments; read by main.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace heed::tests {

struct RunOptions {
  std::uint64_t seed = 20250301;  // --seed=N: what random tests draw from
  double seconds = 20.0;          // --seconds=N: how long the fuzz test draws
  std::string spec{};             // --spec=SPEC: the one problem that the fuzz test runs
};

inline RunOptions& run_options() {
  static RunOptions options;
  return options;
}

}  // namespace heed::tests
