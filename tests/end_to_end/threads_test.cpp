// SPDX-License-Identifier: Apache-2.0
// A row's bits do not depend on the thread count, on what else is in the batch, or on earlier calls;
// and a call leaves the thread, the process and the floating-point control register as they were.
#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "support/compare.hpp"
#include "support/small_call.hpp"

namespace heed::tests {
namespace {

constexpr const char* specs[] = {
    "b=3 h=4:2 n=150:150 d=64:64 causal",
    "b=2 h=8:2 n=40:500 d=64:64 sinks slopes position=bottom_right bias=1:8:40:500 bias_hidden=10",
    "b=5 h=2:2 n=37:230 d=24:40 lengths key_mask=blocked cap=5",
    "b=40 h=8:8 n=1:300 d=16:16",
    // Keys in parts: few rows, several tokens with spans of their own, rows enough for row tiles.
    "b=3 h=8:2 n=1:3000 d=64:64 lengths slopes sinks position=bottom_right",
    "b=2 h=2:1 n=4:2500 d=40:24 causal position=bottom_right window=1500:0 cap=5",
    "b=2 h=8:1 n=6:2300 d=16:16 key_mask=blocked bias=2:1:6:2300 bias_hidden=10",
    // Beams: batch items on one K and V.
    "b=7 h=6:2 n=1:300 d=32:32 k=0:9600:32:1 v=0:9600:32:1 lengths",
    "b=20 h=1:1 n=1:2100 d=16:16 k=0:33600:16:1 v=0:33600:16:1",
};

perf::Spec parsed(const std::string& text) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec(text, spec), "");
  return spec;
}

std::string bits_differ(const Outputs& got, const Outputs& wanted) {
  return first_difference("out", got.out.values(), wanted.out.values()) +
         first_difference("lse", got.lse.values(), wanted.lse.values()) +
         first_difference("weights", got.weights.values(), wanted.weights.values());
}

// One batch item of a workload, or one group of heads, as a call of its own.
Call part_of(const perf::Workload& workload, std::size_t dimension, std::int64_t index) {
  Call call = call_of(workload);
  call.out_strides.reset();
  const auto take = [&](ConstTensor& tensor, std::int64_t first, std::int64_t count) {
    if (tensor.shape[dimension] == 1) return;
    tensor.data = static_cast<const float*>(tensor.data) + first * tensor.strides[dimension];
    tensor.shape[dimension] = count;
  };
  const std::int64_t group = dimension == 1 ? workload.spec.q_heads / workload.spec.kv_heads : 1;
  take(call.q, index * group, group);
  take(call.k, index, 1);
  take(call.v, index, 1);
  Options& options = call.options;
  const auto first = static_cast<std::size_t>(index), heads = static_cast<std::size_t>(group);
  if (options.bias) take(*options.bias, index * group, group);
  if (dimension == 1) {
    if (!options.slopes.empty()) options.slopes = options.slopes.subspan(first * heads, heads);
    if (!options.sinks.empty()) options.sinks = options.sinks.subspan(first * heads, heads);
    return call;
  }
  if (!options.lengths.empty()) options.lengths = options.lengths.subspan(first, 1);
  if (options.key_mask) {
    options.key_mask->data += index * options.key_mask->strides[0];
    options.key_mask->shape[0] = 1;
  }
  return call;
}

// Resident memory of this process, in bytes.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

TEST_CASE("1, 2, 3, 8 and 64 threads give the same bits") {
  for (const char* text : specs) {
    const perf::Workload workload(parsed(text));
    const Call call = call_of(workload);
    for_each_way([&](const Way& way) {
      const Outputs one = run_call(call, way, 1, true);
      REQUIRE_EQ(std::string(one.status.message()), "");
      for (const int threads : {2, 3, 8, 64}) {
        CAPTURE(std::string(text));
        CAPTURE(way.text());
        CAPTURE(threads);
        CHECK_EQ(bits_differ(run_call(call, way, threads, true), one), "");
      }
    });
  }
}

TEST_CASE("a batch item and a KV head alone give the bits that they give among others") {
  for (const char* text : specs) {
    const perf::Workload workload(parsed(text));
    const perf::Spec& spec = workload.spec;
    for_each_way([&](const Way& way) {
      const Outputs whole = run_call(call_of(workload), way, 2, true);
      REQUIRE_EQ(std::string(whole.status.message()), "");
      for (const std::size_t dimension : {std::size_t{0}, std::size_t{1}}) {
        const std::int64_t count = dimension == 0 ? spec.batch : spec.kv_heads;
        const std::int64_t group = dimension == 0 ? 1 : spec.q_heads / spec.kv_heads;
        for (const std::int64_t index : {std::int64_t{0}, count - 1}) {
          const Outputs alone = run_call(part_of(workload, dimension, index), way, 1, true);
          CAPTURE(std::string(text));
          CAPTURE(way.text());
          CAPTURE(dimension);
          REQUIRE_EQ(std::string(alone.status.message()), "");
          for_each_element(alone.out.shape(), [&](auto b, auto h, auto i, auto c) {
            const auto whole_b = dimension == 0 ? index : b, whole_h = dimension == 1 ? index * group + h : h;
            const double is = static_cast<double>(alone.out.at(b, h, i, c));
            const double was = static_cast<double>(whole.out.at(whole_b, whole_h, i, c));
            REQUIRE(std::abs(is - was) <= run_to_run(way.path));
          });
        }
      }
    });
  }
}

TEST_CASE("what scratch and outputs held before, and earlier calls, change no bit") {
  const perf::Workload workload(parsed("b=1 h=2:2 n=30:130 d=16:4 cap=3 causal position=bottom_right"));
  const perf::Workload other(parsed("b=2 h=4:1 n=70:300 d=130:130 fill=large"));
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    std::vector<std::vector<float>> results;
    for (const int fill : {0x00, 0xFF, 0x7F, 0x3F}) {
      REQUIRE(run_call(call_of(other), way, 2, false).status.ok());
      std::vector<float> out(static_cast<std::size_t>(element_count(call.out_shape())));
      std::memset(out.data(), fill, out.size() * sizeof(float));
      const Dims& shape = call.q.shape;
      const Tensor out_tensor = bhnd(out.data(), shape[0], shape[1], shape[2], call.v.shape[3]);
      Options options = call.options;
      options.path = way.path;
      options.isa = way.isa;
      options.threads = 2;
      std::size_t bytes = 0;
      REQUIRE(scratch_size(call.q, call.k, call.v, out_tensor, options, bytes).ok());
      std::vector<std::byte> scratch(bytes, static_cast<std::byte>(fill));
      options.scratch = scratch;
      REQUIRE(attention(call.q, call.k, call.v, out_tensor, options).ok());
      results.push_back(out);
    }
    for (const std::vector<float>& result : results)
      CHECK_EQ(first_difference(way.text().c_str(), result, results.front()), "");
  });
}

TEST_CASE("many threads may call at once") {
  const perf::Workload workload(parsed(specs[0]));
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    const Outputs wanted = run_call(call, way, 1, true);
    std::vector<std::string> problems(8);
    std::vector<std::thread> threads;
    for (std::string& problem : problems)
      threads.emplace_back([&] { problem = bits_differ(run_call(call, way, 2, true), wanted); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& problem : problems) CHECK_EQ(problem, "");
  });
}

TEST_CASE("the floating-point environment is the same after a call") {
  const perf::Workload workload(parsed("b=1 h=2:2 n=30:130 d=16:16 fill=large"));
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    std::fenv_t before, after;
    for (const int rounding : {FE_TONEAREST, FE_UPWARD}) {
      REQUIRE_EQ(std::fesetround(rounding), 0);
      std::feclearexcept(FE_ALL_EXCEPT);
      std::fegetenv(&before);
      const Outputs outputs = run_call(call, way, 2, false);
      std::feclearexcept(FE_ALL_EXCEPT);
      std::fegetenv(&after);
      const int kept = std::fegetround();
      std::fesetround(FE_TONEAREST);
      CAPTURE(way.text());
      CHECK(outputs.status.ok());
      CHECK_EQ(kept, rounding);
      CHECK_EQ(std::memcmp(&before, &after, sizeof before), 0);
    }
    volatile float smallest = std::numeric_limits<float>::min();
    CHECK(smallest / 2.0f > 0.0f);  // no flush to zero was left behind
  });
}

TEST_CASE("after a fork the child can call with one thread") {
  const perf::Workload workload(parsed("b=2 h=8:8 n=120:120 d=32:32"));
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    const Outputs wanted = run_call(call, way, 4, false);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(60);  // a child that waits for threads it does not have would wait for ever
      const Outputs got = run_call(call, way, 1, false);
      _exit(got.status.ok() && bits_differ(got, wanted).empty() ? 0 : 1);
    }
    int status = 0;
    REQUIRE_EQ(waitpid(child, &status, 0), child);
    CAPTURE(way.text());
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 0);
  });
}

TEST_CASE("10,000 short-lived threads with a call each leave no memory behind" * doctest::test_suite("slow")) {
  const SmallCall small({.q_len = 3, .kv_len = 20, .head_dim = 8, .value_dim = 8}, {0.5f}, {0.25f}, {1});
  const Call call = small.call();
  const auto call_from_new_threads = [&](int count, int threads) {
    for (int n = 0; n < count; ++n)
      std::thread([&] {
        std::vector<float> out(24);
        const Status status = attention(call.q, call.k, call.v, bhnd(out.data(), 1, 1, 3, 8), {.threads = threads});
        if (!status.ok()) std::abort();
      }).join();
  };
  call_from_new_threads(500, 1);
  const std::int64_t before = resident_bytes();
  call_from_new_threads(9500, 1);
  CHECK(resident_bytes() - before < 1 << 20);

  const perf::Workload workload(parsed("b=4 h=8:8 n=64:64 d=32:32"));
  const Call large = call_of(workload);
  const auto team_from_new_threads = [&](int count) {
    for (int n = 0; n < count; ++n)
      std::thread([&] {
        if (!run_call(large, Way{}, 2, false).status.ok()) std::abort();
      }).join();
  };
  team_from_new_threads(50);
  const std::int64_t before_teams = resident_bytes();
  team_from_new_threads(400);
  CHECK(resident_bytes() - before_teams < 4 << 20);
}

TEST_CASE("a call needs little stack") {
  // 128 KiB, as small worker threads have; 1024 channels.
  struct Job {
    Call call;
    Way way;
    Status status;
  };
  const perf::Workload workload(parsed("b=1 h=1:1 n=50:200 d=1024:1024"));
  for_each_way([&](const Way& way) {
    Job job{call_of(workload), way, {}};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    REQUIRE_EQ(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
    pthread_t thread;
    const auto body = [](void* argument) -> void* {
      Job& the_job = *static_cast<Job*>(argument);
      the_job.status = run_call(the_job.call, the_job.way, 1, true).status;
      return nullptr;
    };
    REQUIRE_EQ(pthread_create(&thread, &attributes, body, &job), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    CAPTURE(way.text());
    CHECK(job.status.ok());
  });
}

}  // namespace heed::tests
