// SPDX-License-Identifier: Apache-2.0
// How many threads a plan has, and why not more.
#include <doctest/doctest.h>

#include <string>

#include "unit/plan_call.hpp"

namespace heed::tests {

TEST_CASE("threads: the call's number, else the caller's, and never more than there is work for") {
  Options options;
  options.threads = 3;
  CHECK_EQ(plan_of(large, options, {.caller_threads = 16}).plan.threads, 3);
  CHECK_EQ(plan_of(large, {}, {.caller_threads = 5}).plan.threads, 5);
  options.threads = 64;
  CHECK_EQ(plan_of({.q_len = 1, .kv_len = 10}, options).plan.threads, 1);
  options.threads = 1;
  CHECK_EQ(plan_of(large, options, {.caller_threads = 16}).plan.threads, 1);
}

TEST_CASE("fewer threads than asked for have a reason, and as many have none") {
  const auto reason_of = [](const Sizes& sizes, int threads, const Machine& machine = {}) {
    const Planned planned = plan_of(sizes, {.threads = threads}, machine);
    CHECK(planned.status.ok());
    return planned.reason("more threads");
  };
  CHECK_EQ(reason_of(large, 3), "");
  CHECK_EQ(reason_of({.q_len = 1, .kv_len = 10}, 1), "");
  CHECK_EQ(reason_of({.batch = 100, .q_len = 1, .kv_len = 10}, 64), "too little work to share");
  CHECK_EQ(reason_of({.batch = 3, .q_len = 8, .kv_len = 2000}, 4), "fewer work items than that");
  CHECK_EQ(reason_of({.batch = 0}, 2), "nothing to compute");
  CHECK_EQ(reason_of({.batch = 3, .q_len = 8, .kv_len = 2000}, 0, {.caller_threads = 4}), "fewer work items than that");

  const Machine serial = {.why_serial = "a call inside a parallel region is serial"};
  for (const int threads : {0, 2, 64}) {
    CHECK_EQ(reason_of(large, threads, serial), serial.why_serial);
    CHECK_EQ(plan_of(large, {.threads = threads}, serial).plan.threads, 1);
  }
  CHECK_EQ(reason_of(large, 1, serial), "");
  for (const Path path : {Path::onednn, Path::reference}) {
    const Options options = {.threads = 64, .path = path};
    const Sizes one_row = {.batch = 2, .q_len = 1, .kv_len = 10'000'000};
    CHECK_EQ(plan_of(one_row, options, {.has_onednn = true}).reason("more threads"), "fewer work items than that");
  }
}

}  // namespace heed::tests
