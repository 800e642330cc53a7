// SPDX-License-Identifier: Apache-2.0
// Runs one case on every way asked for: thread counts, storage orders, with and without weights.
#pragma once

#include <string>
#include <vector>

#include "cases/case.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {

struct Selection {
  std::vector<Way> ways;
  std::vector<int> threads = {1, 2, 8};
};

// One text per failure, each with the case's name; empty when the case passes.
std::vector<std::string> run_case(const Case& the_case, const Selection& selection);

}  // namespace heed::tests
