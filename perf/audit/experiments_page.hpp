// SPDX-License-Identifier: Apache-2.0
// The experiments as a page.
#pragma once

#include <string>
#include <vector>

#include "audit/experiments.hpp"

namespace heed::audit {

std::string experiments_page(const std::vector<Experiment>& experiments);

}  // namespace heed::audit
