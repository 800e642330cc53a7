// SPDX-License-Identifier: Apache-2.0
// How items are shared among threads.
#include "paths/parallel_for.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace heed::tests {
namespace {

struct Seen {
  explicit Seen(std::int64_t count, int threads)
      : visits(static_cast<std::size_t>(count)), busy(static_cast<std::size_t>(threads)) {}
  mutable std::vector<std::atomic<int>> visits;
  mutable std::vector<std::atomic<int>> busy;  // one per thread number
  mutable std::atomic<int> largest_range{0}, bad_thread{0}, shared_thread{0};
};

void visit(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const Seen& seen = *static_cast<const Seen*>(context);
  if (thread < 0 || static_cast<std::size_t>(thread) >= seen.busy.size()) {
    ++seen.bad_thread;
    return;
  }
  if (seen.busy[static_cast<std::size_t>(thread)].exchange(1) != 0) ++seen.shared_thread;
  if (seen.largest_range < end - begin) seen.largest_range = static_cast<int>(end - begin);
  for (std::int64_t item = begin; item < end; ++item) ++seen.visits[static_cast<std::size_t>(item)];
  seen.busy[static_cast<std::size_t>(thread)] = 0;
}

struct Nested {
  mutable std::atomic<int> other_threads{0}, wrong_numbers{0}, ranges{0}, wrong_caller_threads{0};
};

void inner(const void* context, std::int64_t, std::int64_t, int thread) noexcept {
  const auto& [nested, caller] = *static_cast<const std::pair<const Nested*, std::thread::id>*>(context);
  ++nested->ranges;
  if (thread != 0) ++nested->wrong_numbers;
  if (std::this_thread::get_id() != caller) ++nested->other_threads;
}

void outer(const void* context, std::int64_t begin, std::int64_t end, int) noexcept {
  const Nested& nested = *static_cast<const Nested*>(context);
  if (caller_threads() != 1) ++nested.wrong_caller_threads;
  const std::pair<const Nested*, std::thread::id> call{&nested, std::this_thread::get_id()};
  for (std::int64_t item = begin; item < end; ++item) parallel_for(10, 1, 4, inner, &call);
}

}  // namespace

TEST_CASE("every item is visited once, by a thread number below the count that no other range has") {
  for (const std::int64_t count : {0, 1, 2, 7, 64, 1000})
    for (const std::int64_t chunk : {1, 3, 64, 5000})
      for (const int threads : {1, 2, 3, 8, 64}) {
        const Seen seen(count, threads);
        parallel_for(count, chunk, threads, visit, &seen);
        CAPTURE(count);
        CAPTURE(chunk);
        CAPTURE(threads);
        for (const std::atomic<int>& visits : seen.visits) REQUIRE_EQ(visits.load(), 1);
        CHECK_EQ(seen.bad_thread.load(), 0);
        CHECK_EQ(seen.shared_thread.load(), 0);
        CHECK((seen.largest_range.load() <= chunk || seen.largest_range.load() == count));
      }
}

TEST_CASE("inside a parallel region everything runs on the calling thread") {
  const Nested nested;
  parallel_for(8, 1, 4, outer, &nested);
  CHECK_EQ(nested.ranges.load(), 8);
  CHECK_EQ(nested.wrong_numbers.load(), 0);
  if (caller_threads() > 1) CHECK_EQ(nested.wrong_caller_threads.load(), 0);
  CHECK_EQ(nested.other_threads.load(), 0);
}

TEST_CASE("one thread is the calling thread") {
  const Nested nested;
  const std::pair<const Nested*, std::thread::id> call{&nested, std::this_thread::get_id()};
  parallel_for(10, 3, 1, inner, &call);
  CHECK_EQ(nested.ranges.load(), 1);
  CHECK_EQ(nested.wrong_numbers.load(), 0);
  CHECK_EQ(nested.other_threads.load(), 0);
}

}  // namespace heed::tests
