// SPDX-License-Identifier: Apache-2.0
// Memory out of every cache, by the CPU's own instruction: holds whatever the caches' sizes and habits
// are. Chosen by the build: flush_<architecture>.cpp.
#pragma once

#include <cstddef>

namespace heed::perf {

// On return each line of the range is in memory only. 30 to 50 ns a line.
void flush_from_caches(const void* memory, std::size_t bytes) noexcept;

}  // namespace heed::perf
