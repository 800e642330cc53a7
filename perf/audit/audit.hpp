// SPDX-License-Identifier: Apache-2.0
// heed-audit as a function: what main() calls, and what tests call in their own process.
#pragma once

#include <ostream>

namespace heed::audit {

// The answer is the exit status, see exit_code.hpp. Never throws.
int run_audit(int argc, const char* const* argv, std::ostream& out, std::ostream& err) noexcept;

}  // namespace heed::audit
