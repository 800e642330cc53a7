// SPDX-License-Identifier: Apache-2.0
// Where a thread's scratch lies within a call's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/plan.hpp"

namespace heed {

inline void* thread_scratch(const Plan& plan, std::byte* scratch, int thread) {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  const auto aligned = (address + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  return reinterpret_cast<std::byte*>(aligned) + static_cast<std::size_t>(thread) * plan.scratch_bytes_per_thread;
}

}  // namespace heed
