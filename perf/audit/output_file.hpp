// SPDX-License-Identifier: Apache-2.0
// Files that are written: checked before the work starts, and written in full or said not to be.
#pragma once

#include "audit/arguments.hpp"

namespace heed::audit {

bool is_same_file(const std::string& a, const std::string& b);

// Throws Error where the file can't be opened. Opening adds nothing to a file that exists.
void require_writable(const FileArgument& file);
void write_text(const FileArgument& file, const std::string& text);

}  // namespace heed::audit
