// SPDX-License-Identifier: Apache-2.0
// A plan as fields, as text, and as a spec line that heed-sweep runs.
#pragma once

#include "heed/attention.hpp"
#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

// The options say what was given; the problem can't, since a call without data pointers is explained too.
Explanation render(const Plan& plan, const Problem& problem, const Options& options);

}  // namespace heed
