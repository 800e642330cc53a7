// SPDX-License-Identifier: Apache-2.0
// The commands that need no tensors: "example" and "experiments".
#pragma once

#include <optional>
#include <ostream>

namespace heed::audit {

// The exit status; nothing where the command line opens with neither of the two.
std::optional<int> run_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace heed::audit
