// SPDX-License-Identifier: Apache-2.0
// The one exception of heed-audit: its text is the line that a user reads.
#pragma once

#include <stdexcept>

namespace heed::audit {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace heed::audit
