// SPDX-License-Identifier: Apache-2.0
// The only file with OpenMP. parallel_for_serial.cpp stands in where the build has none.
#include "paths/parallel_for.hpp"

#include <omp.h>

#include <algorithm>

namespace heed {

int caller_threads() noexcept { return omp_in_parallel() ? 1 : std::max(1, omp_get_max_threads()); }

const char* why_serial() noexcept { return omp_in_parallel() ? "a call inside a parallel region is serial" : nullptr; }

void parallel_for(std::int64_t count, std::int64_t chunk, int threads, ItemTask task, const void* context) noexcept {
  if (threads <= 1 || omp_in_parallel()) {
    if (count > 0) task(context, 0, count, 0);
    return;
  }
  const std::int64_t chunks = (count + chunk - 1) / chunk;
// Dynamic: ragged lengths and causal triangles make items uneven. The runtime may give fewer threads
// than asked for; the loop is right with any number.
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t index = 0; index < chunks; ++index)
    task(context, index * chunk, std::min(count, (index + 1) * chunk), omp_get_thread_num());
}

SerialRegion::SerialRegion() noexcept : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
SerialRegion::~SerialRegion() { omp_set_num_threads(threads_); }

}  // namespace heed
