// SPDX-License-Identifier: Apache-2.0
// Shares items among threads. parallel_for.cpp is the only file that knows OpenMP.
#pragma once

#include <cstdint>

namespace heed {

// What the caller's OpenMP would use for a region here: 1 inside a parallel region or without OpenMP.
int caller_threads() noexcept;

// Why a call here has one thread, whatever it asks for; null: it has as many as it asks for.
const char* why_serial() noexcept;

using ItemTask = void (*)(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept;

// Calls task on [begin, end) ranges of at most chunk items that together cover [0, count), each range
// once; `thread` is below `threads` and no two ranges run at once with the same number. threads = 1,
// or a call from inside a parallel region, runs one range on this thread and opens no region.
void parallel_for(std::int64_t count, std::int64_t chunk, int threads, ItemTask task, const void* context) noexcept;

// While it lives, a library that asks OpenMP on this thread is told of one thread. What the caller had set
// comes back with its end.
class SerialRegion {
 public:
  SerialRegion() noexcept;
  ~SerialRegion();
  SerialRegion(const SerialRegion&) = delete;
  SerialRegion& operator=(const SerialRegion&) = delete;

 private:
  int threads_;
};

}  // namespace heed
