// SPDX-License-Identifier: Apache-2.0
// A plan as text and as a spec that heed-sweep runs.
#pragma once

#include "heed/attention.hpp"
#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

Explanation render(const Plan& plan, const Problem& problem);

}  // namespace heed
