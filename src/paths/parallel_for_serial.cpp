// SPDX-License-Identifier: Apache-2.0
// parallel_for.hpp without OpenMP: one thread, whatever is asked for.
#include <algorithm>

#include "paths/parallel_for.hpp"

namespace heed {

int caller_threads() noexcept { return 1; }

void parallel_for(std::int64_t count, std::int64_t chunk, int, ItemTask task, const void* context) noexcept {
  for (std::int64_t begin = 0; begin < count; begin += chunk) task(context, begin, std::min(count, begin + chunk), 0);
}

}  // namespace heed
