// SPDX-License-Identifier: Apache-2.0
// Runs the query stages of a case on every ISA among the ways, in both storage orders.
#pragma once

#include <string>
#include <vector>

#include "cases/case.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {

// One text per failure, each with the case's name.
std::vector<std::string> run_stages(const Case& the_case, const std::vector<Way>& ways);

}  // namespace heed::tests
