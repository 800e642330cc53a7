// SPDX-License-Identifier: Apache-2.0
// parallel_for.hpp without OpenMP: one thread, whatever is asked for.
#include "paths/parallel_for.hpp"

namespace heed {

int caller_threads() noexcept { return 1; }

const char* why_serial() noexcept { return "not in this build, which has no OpenMP"; }

void parallel_for(std::int64_t count, std::int64_t, int, ItemTask task, const void* context) noexcept {
  if (count > 0) task(context, 0, count, 0);
}

SerialRegion::SerialRegion() noexcept : threads_(1) {}
SerialRegion::~SerialRegion() = default;

}  // namespace heed
