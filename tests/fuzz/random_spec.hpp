// SPDX-License-Identifier: Apache-2.0
// Draws small problems with any options.
#pragma once

#include "spec.hpp"
#include "support/random.hpp"

namespace heed::tests {

perf::Spec random_spec(Random& random);

}  // namespace heed::tests
