// SPDX-License-Identifier: Apache-2.0
// DC CIVAC, which Linux lets programs use; CTR_EL0 says how long the shortest line is.
#include <cstdint>

#include "flush.hpp"

namespace heed::perf {

void flush_from_caches(const void* memory, std::size_t bytes) noexcept {
  std::uint64_t cache_type = 0;
  asm volatile("mrs %[type], ctr_el0" : [type] "=r"(cache_type));
  const std::uintptr_t line_bytes = std::uintptr_t{4} << (cache_type >> 16 & 15);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  for (std::uintptr_t line = begin / line_bytes * line_bytes; line < begin + bytes; line += line_bytes)
    asm volatile("dc civac, %[line]" : : [line] "r"(line) : "memory");
  asm volatile("dsb ish" : : : "memory");
}

}  // namespace heed::perf
