// SPDX-License-Identifier: Apache-2.0
// Counts and measures what a call allocates. This program replaces malloc, so it stands apart from the others and
// is not built with a sanitizer, which replaces it too.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "heed/cross_check.hpp"
#include "support/checked_call.hpp"

namespace {

std::atomic<bool> is_counting{false};
std::atomic<int> allocations{0};
std::atomic<std::size_t> largest_bytes{0};  // of one allocation
std::atomic<int> failing_from{-1};          // the n-th allocation while counting, and all after it, fail; -1: none
std::atomic<std::size_t> refused_bytes{SIZE_MAX};  // so many and more fail

bool count_allocation(std::size_t bytes) {
  if (!is_counting) return true;
  for (std::size_t seen = largest_bytes; seen < bytes && !largest_bytes.compare_exchange_weak(seen, bytes);) {
  }
  const int number = allocations++;
  return bytes < refused_bytes && (failing_from < 0 || number < failing_from);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) { return count_allocation(bytes) ? __libc_malloc(bytes) : nullptr; }
void* calloc(std::size_t count, std::size_t bytes) {
  return count_allocation(count * bytes) ? __libc_calloc(count, bytes) : nullptr;
}
void* realloc(void* old, std::size_t bytes) { return count_allocation(bytes) ? __libc_realloc(old, bytes) : nullptr; }
void* memalign(std::size_t alignment, std::size_t bytes) {
  return count_allocation(bytes) ? __libc_memalign(alignment, bytes) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  *result = memalign(alignment, bytes);
  return *result != nullptr ? 0 : ENOMEM;
}

}  // extern "C"

namespace heed::tests {
namespace {

constexpr const char* specs[] = {
    "b=2 h=4:2 n=60:300 d=64:64",
    ("b=2 h=4:2 n=60:300 d=24:40 cap=3 bias=1:4:60:300 slopes sinks key_mask=blocked lengths mask=allowed:2:1:60:300 "
     "position=per_batch causal window=50:0 lse weights q=bnhd k=bnhd v=bnhd out=bnhd"),
    "b=1 h=2:2 n=30:50 d=16:16 k=1600:800:16:1 v=3200:1600:32:2",
};

struct Ready {
  explicit Ready(const std::string& text) : workload(parse(text)), options(workload.options) {}
  static perf::Spec parse(const std::string& text) {
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(text, spec), "");
    return spec;
  }
  Status attend() { return attention(workload.q, workload.k, workload.v, workload.out, options); }
  void choose(const Way& way, int threads) {
    options.path = way.path;
    options.isa = way.isa;
    options.threads = threads;
  }
  void supply_scratch() {
    std::size_t bytes = 0;
    REQUIRE(scratch_size(workload.q, workload.k, workload.v, workload.out, options, bytes).ok());
    scratch.resize(bytes);
    options.scratch = scratch;
  }
  perf::Workload workload;
  Options options;
  std::vector<std::byte> scratch;
};

// Runs f while allocations are counted.
template <class Function>
int counted(const Function& f, int fail_from = -1) {
  allocations = 0;
  largest_bytes = 0;
  failing_from = fail_from;
  is_counting = true;
  f();
  is_counting = false;
  failing_from = -1;
  return allocations;
}

}  // namespace

TEST_CASE("the counter counts") {
  // Through volatile pointers, or the compiler leaves both out.
  CHECK_EQ(counted([] {
             int* volatile number = new int(3);
             delete number;
           }),
           1);
  CHECK_EQ(counted([] {
             void* volatile memory = std::malloc(3);
             std::free(memory);
           }),
           1);
  CHECK_EQ(counted([] {}), 0);
}

TEST_CASE("with supplied scratch and one thread a call allocates nothing") {
  for (const char* spec : specs) {
    Ready ready(spec);
    for_each_way([&](const Way& way) {
      if (way.path == Path::onednn) return;  // oneDNN allocates; the header says so
      ready.choose(way, 1);
      ready.supply_scratch();
      Status status;
      const int count = counted([&] { status = ready.attend(); });
      CAPTURE(std::string(spec));
      CAPTURE(way.text());
      CHECK_EQ(std::string(status.message()), "");
      CHECK_EQ(count, 0);
    });
  }
}

TEST_CASE("with supplied scratch and one thread a call on classes allocates nothing") {
  Ready ready(specs[1]);
  const perf::Spec& spec = ready.workload.spec;
  std::vector<std::int32_t> labels(static_cast<std::size_t>(spec.kv_len));
  for (std::size_t key = 0; key < labels.size(); ++key) labels[key] = static_cast<std::int32_t>(key % 40);
  const ClassIndices classes = class_indices(labels.data(), 1, spec.kv_len);
  const Tensor q = ready.workload.q, k = ready.workload.k, out = ready.workload.out;
  for_each_way([&](const Way& way) {
    if (way.path == Path::onednn) return;  // reads no classes
    ready.choose(way, 1);
    std::size_t bytes = 0;
    REQUIRE(scratch_size_classes(q, k, classes, out, ready.options, bytes).ok());
    ready.scratch.resize(bytes);
    ready.options.scratch = ready.scratch;
    Status status;
    const int count = counted([&] { status = attention_classes(q, k, classes, out, ready.options); });
    CAPTURE(way.text());
    CHECK_EQ(std::string(status.message()), "");
    CHECK_EQ(count, 0);
  });
}

TEST_CASE("with supplied scratch and several threads nothing is allocated once the team is there") {
  Ready ready(specs[0]);
  for_each_way([&](const Way& way) {
    if (way.path == Path::onednn) return;  // oneDNN allocates; the header says so
    ready.choose(way, 3);
    ready.supply_scratch();
    REQUIRE(ready.attend().ok());
    Status status;
    const int count = counted([&] { status = ready.attend(); });
    CAPTURE(way.text());
    CHECK(status.ok());
    CHECK_EQ(count, 0);
  });
}

TEST_CASE("an error allocates nothing") {
  Ready ready(specs[0]);
  ready.options.scale = std::numeric_limits<float>::quiet_NaN();
  Status status;
  const int count = counted([&] { status = ready.attend(); });
  CHECK_EQ(status.code(), StatusCode::bad_value);
  CHECK_EQ(count, 0);
}

TEST_CASE("scratch that cannot be allocated is an error, and nothing is written") {
  Ready ready(specs[0]);
  for_each_way([&](const Way& way) {
    for (const int threads : {1, 4}) {
      ready.choose(way, threads);
      ready.workload.poison_outputs();
      Status status;
      counted([&] { status = ready.attend(); }, 0);
      CAPTURE(way.text());
      CHECK_EQ(status.code(), StatusCode::out_of_memory);
      CHECK(std::isnan(element(ready.workload.out, 0, 0, 0, 0)));
    }
  });
  Explanation explanation;
  Status status;
  counted(
      [&] {
        status = explain(ready.workload.q, ready.workload.k, ready.workload.v, ready.workload.out, ready.options,
                         explanation);
      },
      0);
  CHECK_EQ(status.code(), StatusCode::out_of_memory);
}

TEST_CASE("the onednn path answers a lack of its own memory, in one thread and in several") {
  const std::vector<std::string> paths = available_paths();
  if (std::ranges::find(paths, path_name(Path::onednn)) == paths.end()) return;
  // An infinite value makes the path copy V, 1.3 MB a head, beside the scratch.
  Ready ready("b=1 h=4:4 n=30:5000 d=64:64");
  *static_cast<float*>(ready.workload.v.data) = std::numeric_limits<float>::infinity();
  for (const int threads : {1, 3}) {
    ready.choose({Path::onednn, {}}, threads);
    ready.supply_scratch();
    REQUIRE(ready.attend().ok());
    refused_bytes = 1 << 20;
    Status status;
    counted([&] { status = ready.attend(); });
    refused_bytes = SIZE_MAX;
    CHECK_EQ(status.code(), StatusCode::out_of_memory);
    CHECK_EQ(std::string(status.message()), "path: onednn: memory beside the scratch could not be allocated");
    CHECK(ready.attend().ok());
  }
}

TEST_CASE("a cross-check takes memory for the weights of one KV head, whatever batch and heads are") {
  const auto largest = [](const char* spec) {
    Ready ready(spec);
    CrossCheckReport report;
    Status status;
    counted([&] { status = cross_check(ready.workload.q, ready.workload.k, ready.workload.v, ready.options, report); });
    CHECK(status.ok());
    return largest_bytes.load();
  };
  CHECK_EQ(largest("b=1 h=2:1 n=120:130 d=8:8"), 2 * 120 * 130 * sizeof(float));
  CHECK_EQ(largest("b=6 h=8:4 n=120:130 d=8:8"), 2 * 120 * 130 * sizeof(float));
  // Four rows of 4 million keys fit the 64 MiB that are taken at most; the fifth is a block of its own.
  CHECK(largest("b=1 h=1:1 n=5:4000000 d=1:1") <= std::size_t{64} << 20);
}

TEST_CASE("a cross-check that gets no memory says so and leaves the report alone") {
  Ready ready("b=2 h=4:2 n=10:20 d=8:8");
  int fail_from = 0;
  Status status;
  do {
    CrossCheckReport report;
    report.bound = -1.0;
    ready.options.threads = 1;
    counted([&] { status = cross_check(ready.workload.q, ready.workload.k, ready.workload.v, ready.options, report); },
            fail_from++);
    if (status.ok()) break;
    CHECK_EQ(status.code(), StatusCode::out_of_memory);
    CHECK_EQ(report.bound, -1.0);
  } while (fail_from < 1000);
  CHECK(status.ok());
  CHECK(fail_from > 10);
}

TEST_CASE("zero-size calls allocate nothing") {
  for (const char* spec : {"b=0 h=2:2 n=3:3 d=4:4", "b=1 h=2:2 n=0:3 d=4:4", "b=1 h=0:0 n=3:3 d=4:4"}) {
    Ready ready(spec);
    Status status;
    CHECK_EQ(counted([&] { status = ready.attend(); }), 0);
    CHECK(status.ok());
  }
}

}  // namespace heed::tests
