// SPDX-License-Identifier: Apache-2.0
// A validated call from its problem to its results.
#pragma once

#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

struct Call {
  Problem problem;
  Plan plan;
};

// The plan of call.problem, as the machine is now.
Status plan_call(const Options& options, Call& call);

// Scratch is that of the options, or allocated and freed.
Status run_call(const Call& call, const Options& options);

}  // namespace heed
