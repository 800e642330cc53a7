// SPDX-License-Identifier: Apache-2.0
// CLFLUSH, which every x86-64 CPU has; its lines are 64 bytes on all of them.
#include <emmintrin.h>

#include <cstdint>

#include "flush.hpp"

namespace heed::perf {

void flush_from_caches(const void* memory, std::size_t bytes) noexcept {
  constexpr std::uintptr_t line_bytes = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t line = begin / line_bytes * line_bytes; line < begin + bytes; line += line_bytes)
    _mm_clflush(reinterpret_cast<const void*>(line));
  _mm_mfence();
}

}  // namespace heed::perf
