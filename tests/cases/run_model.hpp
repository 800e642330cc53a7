// SPDX-License-Identifier: Apache-2.0
// Runs a golden's whole module: its attention by heed, what stands around it in plain loops; every tensor that the
// golden recorded is compared.
#pragma once

#include "cases/run_case.hpp"

namespace heed::tests {

// One text per failure, each with the name.
std::vector<std::string> run_model(const std::string& name, const Golden& golden, const Selection& selection);

}  // namespace heed::tests
