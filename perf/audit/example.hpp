// SPDX-License-Identifier: Apache-2.0
// The example that a reader can check by hand: two queries, three keys, two channels, whole numbers.
#pragma once

#include <ostream>

namespace heed::audit {

// Prints every score, weight and output by hand and as each path has them. True: all agree within 1e-6.
bool print_example(std::ostream& out);

}  // namespace heed::audit
