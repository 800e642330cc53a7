// SPDX-License-Identifier: Apache-2.0
// Given machine and problem: the plan and its reasons. Nothing is run.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "paths/work_items.hpp"
#include "unit/plan_call.hpp"

namespace heed::tests {

TEST_CASE("streaming on the best ISA is the default, and every other path and ISA has a reason") {
  const Planned planned = plan_of(large);
  REQUIRE(planned.status.ok());
  CHECK_EQ(planned.plan.path, Path::streaming);
  CHECK_EQ(planned.plan.kernels, best_isa().kernels);
  CHECK_FALSE(planned.reason("onednn").empty());
  CHECK_FALSE(planned.reason("reference").empty());
  CHECK(planned.reason("streaming").empty());
  for (const IsaRow& row : built_isas())
    CHECK_EQ(planned.reason(row.name).empty(), row.kernels == planned.plan.kernels);
}

TEST_CASE("the call names a path; HEED_PATH does where the call does not") {
  Options options;
  options.path = Path::reference;
  CHECK_EQ(plan_of(large, options).plan.path, Path::reference);
  Machine machine;
  machine.path_override = "reference";
  const Planned by_environment = plan_of(large, {}, machine);
  CHECK_EQ(by_environment.plan.path, Path::reference);
  CHECK_NE(by_environment.reason("streaming").find("HEED_PATH"), std::string::npos);
  options.path = Path::streaming;
  CHECK_EQ(plan_of(large, options, machine).plan.path, Path::streaming);
}

TEST_CASE("an unknown HEED_PATH is an error that lists the valid names") {
  Machine machine;
  machine.path_override = "fastest";
  const Status status = plan_of(large, {}, machine).status;
  CHECK_EQ(status.code(), StatusCode::unknown_name);
  for (const char* name : {"HEED_PATH", "fastest", "streaming", "reference"})
    CHECK_NE(std::string(status.message()).find(name), std::string::npos);
}

TEST_CASE("oneDNN is unsupported where it is not built") {
  Options options;
  options.path = Path::onednn;
  CHECK_EQ(plan_of(large, options, {.has_onednn = false}).status.code(), StatusCode::unsupported);
  CHECK_EQ(plan_of(large, options, {.has_onednn = true}).plan.path, Path::onednn);
}

TEST_CASE("classes are read by row tiles, in key tiles that do not shrink with their number, and not by oneDNN") {
  const auto plan_classes = [](std::int64_t q_len, std::int64_t classes, const Options& options = {}) {
    const float* none = nullptr;
    float* nowhere = nullptr;
    const Problem problem =
        make_class_problem(bhnd(none, 1, 6, q_len, 64), bhnd(none, 1, 6, 5000, 64), class_indices(nullptr, 1, 5000),
                           bhnd(nowhere, 1, 6, q_len, classes), options);
    Planned planned;
    planned.status = make_plan(problem, options, {.has_onednn = true}, planned.plan);
    return planned;
  };
  const Planned few = plan_classes(1000, 2), many = plan_classes(1000, 1000);
  CHECK_EQ(few.plan.path, Path::streaming);
  CHECK_EQ(many.plan.tile.keys, few.plan.tile.keys);
  CHECK_EQ(many.reason("onednn"), "it reads no classes");
  CHECK_FALSE(plan_classes(1, 10).plan.has_few_rows);
  CHECK_EQ(plan_classes(1000, 10, {.path = Path::onednn}).status.code(), StatusCode::unsupported);
}

TEST_CASE("the call names an ISA; HEED_ISA does where the call does not") {
  Machine machine;
  machine.isa_override = "baseline";
  const Planned by_environment = plan_of(large, {}, machine);
  REQUIRE(by_environment.status.ok());
  CHECK_EQ(by_environment.plan.kernels, find_isa("baseline")->kernels);
  Options options;
  options.isa = best_isa().name;
  CHECK_EQ(plan_of(large, options, machine).plan.kernels, best_isa().kernels);
}

TEST_CASE("an unknown or absent ISA is an error that lists those that run here") {
  const auto check = [](const Status& status, const char* source, const char* name, StatusCode code) {
    CHECK_EQ(status.code(), code);
    const std::string message = status.message();
    for (const char* part : {source, name, "baseline"}) CHECK_NE(message.find(part), std::string::npos);
  };
  Options options;
  options.isa = "sse9";
  check(plan_of(large, options).status, "isa", "sse9", StatusCode::unknown_name);
  Machine machine;
  machine.isa_override = "sse9";
  check(plan_of(large, {}, machine).status, "HEED_ISA", "sse9", StatusCode::unknown_name);
  for (const char* name : {"avx2", "avx512", "neon64"}) {
    const IsaRow* row = find_isa(name);
    if (row != nullptr && row->runs_here()) continue;
    options.isa = name;
    check(plan_of(large, options).status, "isa", name, StatusCode::unsupported);
  }
}

TEST_CASE("the same problem and machine give the same plan") {
  const Plan first = plan_of(large).plan;
  for (int n = 0; n < 3; ++n) {
    const Plan again = plan_of(large).plan;
    CHECK_EQ(first.items, again.items);
    CHECK_EQ(first.items_per_chunk, again.items_per_chunk);
    CHECK_EQ(first.scratch_bytes, again.scratch_bytes);
  }
}

TEST_CASE("zero-size calls have no work and no scratch") {
  for (const Sizes& sizes : {Sizes{.batch = 0}, Sizes{.q_heads = 0, .kv_heads = 0}, Sizes{.q_len = 0}}) {
    const Planned planned = plan_of(sizes);
    REQUIRE(planned.status.ok());
    CHECK_EQ(planned.plan.items, 0);
    CHECK_EQ(planned.plan.scratch_bytes, 0u);
    CHECK_EQ(planned.plan.threads, 1);
  }
}

TEST_CASE("work items cover every row once, in jobs that the kernel can take") {
  for (const IsaRow& row : built_isas())
    for (const bool shares_key_tiles : {false, true})
      for (std::int64_t q_len = 1; q_len <= 300; ++q_len) {
        const Problem problem = problem_of({.batch = 2, .q_heads = 2, .kv_heads = 2, .q_len = q_len});
        Plan plan;
        plan.rows = partition_rows(q_len, *row.kernels, shares_key_tiles);
        const auto largest = static_cast<std::int64_t>(row.kernels->max_rows * (shares_key_tiles ? max_row_tiles : 1));
        CAPTURE(std::string(row.name));
        CAPTURE(q_len);
        std::int64_t index = 0;
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t head = 0; head < 2; ++head)
            for (std::int64_t next = 0; next < q_len; ++index) {
              const WorkItem item = work_item(plan, problem, index);
              REQUIRE_EQ(item.batch, b);
              REQUIRE_EQ(item.kv_head, head);
              REQUIRE_EQ(item.first_row, next);
              REQUIRE(item.rows >= 1);
              REQUIRE(item.rows <= largest);
              next += item.rows;
            }
        REQUIRE_EQ(index, 4 * plan.rows.job_count);
      }
}

TEST_CASE("rows of a KV head are those of its query heads, token by token") {
  const Problem problem = problem_of({.q_heads = 6, .kv_heads = 2, .q_len = 4});
  CHECK_EQ(problem.group, 3);
  RowPlace place = first_place(problem, {.kv_head = 1, .first_row = 7, .rows = 5});
  CHECK_EQ(place.head, 4);
  CHECK_EQ(place.token, 2);
  place = next_place(problem, {.kv_head = 1}, next_place(problem, {.kv_head = 1}, place));
  CHECK_EQ(place.head, 3);
  CHECK_EQ(place.token, 3);
}

TEST_CASE("scratch is below 256 KiB a thread and does not change with the lengths") {
  Options options;
  options.threads = 1;
  for (const IsaRow& row : built_isas()) {
    if (!row.runs_here()) continue;
    options.isa = row.name;
    const auto bytes = [&](std::int64_t length) {
      return plan_of({.q_heads = 8, .kv_heads = 8, .q_len = length, .kv_len = length}, options).plan.scratch_bytes;
    };
    CAPTURE(std::string(row.name));
    CHECK(bytes(4096) < 256 * 1024);
    CHECK_EQ(bytes(4096), bytes(64));
    CHECK_EQ(bytes(4096), bytes(1));
  }
}

TEST_CASE("scratch grows with the threads and not otherwise") {
  Options options;
  options.threads = 1;
  const Plan one = plan_of(large, options).plan;
  options.threads = 8;
  const Plan eight = plan_of(large, options).plan;
  CHECK_EQ(eight.threads, 8);
  CHECK_EQ(one.scratch_bytes_per_thread, eight.scratch_bytes_per_thread);
  CHECK_EQ(eight.scratch_bytes - one.scratch_bytes, 7 * one.scratch_bytes_per_thread);
  CHECK_EQ(one.scratch_bytes_per_thread % scratch_alignment, 0u);
}

TEST_CASE("a broadcast q that could not be scaled is refused where all of it would be") {
  const std::vector<float> factors(1 << 20, 1.0f);
  Options options = {.query_scaling = ssmax(factors), .path = Path::onednn};
  const Sizes huge = {.batch = 1 << 20, .q_heads = 1 << 20, .kv_heads = 1, .q_len = 1 << 20, .head_dim = 64};
  const Planned planned = plan_of(huge, options, {.has_onednn = true});
  CHECK_EQ(planned.status.code(), StatusCode::size_overflow);
  CHECK_NE(std::string(planned.status.message()).find("scaled q"), std::string::npos);
}

TEST_CASE("short rows have shorter chains of channels and of keys") {
  for (const std::int64_t head_dim : {0, 1, 2, 16, 17, 32, 64, 80, 128, 1000}) {
    TileShape shorter;
    for (const std::int64_t kv_len : {100, 1023, 1024, 5000}) {
      const TileShape tile = plan_of({.q_len = 50, .kv_len = kv_len, .head_dim = head_dim}, {.scale = 1.0f}).plan.tile;
      CAPTURE(head_dim);
      CAPTURE(kv_len);
      CHECK_EQ(tile.score_chain % 2, 0u);
      CHECK(tile.score_chain >= 2);
      CHECK(tile.score_chain <= (kv_len < 1024 ? 16u : 32u));
      CHECK(tile.value_chain >= 16);
      if (kv_len == 100) shorter = tile;
      CHECK(tile.score_chain >= shorter.score_chain);
      CHECK(tile.value_chain >= shorter.value_chain);
    }
  }
  CHECK_EQ(plan_of({.q_len = 50, .kv_len = 100, .head_dim = 16}).plan.tile.score_chain, 8u);
  CHECK_EQ(plan_of({.q_len = 50, .kv_len = 100, .head_dim = 64}).plan.tile.score_chain, 16u);
}

TEST_CASE("keys of few rows are cut into whole tiles that cover them, whatever threads and batch are") {
  for (const std::int64_t q_len : {1, 8, 64, 65})
    for (const std::int64_t kv_len : {1, 1024, 2047, 2048, 5000, 100'000, 10'000'000}) {
      CAPTURE(q_len);
      CAPTURE(kv_len);
      const KeyParts parts = plan_of({.q_len = q_len, .kv_len = kv_len}).plan.parts;
      CHECK_EQ(parts.count > 1, q_len <= 64 && kv_len >= 2048);
      for (const int threads : {1, 2, 64})
        for (const std::int64_t batch : {1, 100}) {
          const Plan plan = plan_of({.batch = batch, .q_len = q_len, .kv_len = kv_len}, {.threads = threads}).plan;
          CHECK_EQ(plan.parts.count, parts.count);
          CHECK_EQ(plan.parts.keys, parts.keys);
          CHECK(!(plan.parts.are_items && threads == 1));
        }
      if (parts.count == 1) continue;
      CHECK(parts.count <= most_key_parts);
      CHECK(parts.keys >= 1024);
      CHECK_EQ(parts.keys % static_cast<std::int64_t>(plan_of({.q_len = q_len, .kv_len = kv_len}).plan.tile.keys), 0);
      CHECK((parts.count - 1) * parts.keys < kv_len);
      CHECK(parts.count * parts.keys >= kv_len);
    }
}

TEST_CASE("batch items that share K and V share a job, as far as it has room") {
  Problem problem = problem_of({.batch = 21, .q_heads = 6, .kv_heads = 2});  // 3 rows each
  CHECK_EQ(partition_few_rows(problem).batch_items, 1);
  problem.k.strides[0] = problem.v.strides[0] = 0;
  Plan plan;
  plan.rows = partition_few_rows(problem);
  CHECK_EQ(plan.rows.batch_items, 5);
  const WorkItem last = work_item(plan, problem, 4 * 2 + 1);
  CHECK_EQ(last.batch, 20);
  CHECK_EQ(last.kv_head, 1);
  CHECK_EQ(last.rows, 3);
  const RowPlace place = next_place(problem, last, {.batch = 19, .head = 5, .token = 0});
  CHECK_EQ(place.batch, 20);
  CHECK_EQ(place.head, 3);
}

}  // namespace heed::tests
