// SPDX-License-Identifier: Apache-2.0
// Callers that use OpenMP themselves. Built where OpenMP is.
#include <doctest/doctest.h>

#include <omp.h>

#include <string>

#include "support/checked_call.hpp"
#include "support/compare.hpp"

namespace heed::tests {
namespace {

struct Settings {
  int max_threads, dynamic, levels, schedule_chunk;
  omp_sched_t schedule;
  static Settings now() {
    Settings settings{omp_get_max_threads(), omp_get_dynamic(), omp_get_max_active_levels(), 0, omp_sched_static};
    omp_get_schedule(&settings.schedule, &settings.schedule_chunk);
    return settings;
  }
  friend bool operator==(const Settings&, const Settings&) = default;
};

perf::Spec parsed(const std::string& text) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec(text, spec), "");
  return spec;
}

}  // namespace

TEST_CASE("inside a caller's parallel region a call is right and serial") {
  const perf::Workload workload(parsed("b=4 h=4:4 n=60:60 d=32:32 causal"));
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    const std::vector<float> wanted = run_call(call, way, 1, false).out.values();
    std::vector<std::string> problems(8, "not run");
    std::vector<int> planned(8, 0);
    std::vector<std::string> reasons(8);
    const Settings before = Settings::now();
#pragma omp parallel for num_threads(8) schedule(static, 1)
    for (std::size_t n = 0; n < problems.size(); ++n) {
      problems[n] = first_difference("out", run_call(call, way, 0, false).out.values(), wanted);
      Explanation explanation;
      Options options = call.options;
      options.path = way.path;
      options.isa = way.isa;
      options.threads = static_cast<int>(n);  // the caller's, 1, or more
      const Tensor out = bhnd(static_cast<float*>(nullptr), 4, 4, 60, 32);
      if (explain(call.q, call.k, call.v, out, options, explanation).ok()) planned[n] = explanation.threads;
      reasons[n] = explanation.text;
    }
    CAPTURE(way.text());
    for (const std::string& problem : problems) CHECK_EQ(problem, "");
    for (const int threads : planned) CHECK_EQ(threads, 1);
    for (std::size_t n = 0; n < reasons.size(); ++n) {
      const bool is_said =
          reasons[n].find("more threads: a call inside a parallel region is serial") != std::string::npos;
      CHECK_EQ(is_said, n != 1);
    }
    CHECK(Settings::now() == before);
  });
}

TEST_CASE("a call changes no OpenMP setting, whatever thread count it is given") {
  const perf::Workload workload(parsed("b=4 h=4:4 n=60:60 d=32:32"));
  const Call call = call_of(workload);
  const Settings before = Settings::now();
  for_each_way([&](const Way& way) {
    for (const int threads : {0, 1, 2, 7}) {
      CHECK(run_call(call, way, threads, false).status.ok());
      CHECK(Settings::now() == before);
    }
  });
}

TEST_CASE("the caller's maximum may go down and up between calls, and exceed the work") {
  const perf::Workload workload(parsed("b=1 h=1:1 n=300:300 d=32:32")), tiny(parsed("b=1 h=1:1 n=3:5 d=4:4"));
  const Call call = call_of(workload);
  const int before = omp_get_max_threads();
  for_each_way([&](const Way& way) {
    const std::vector<float> wanted = run_call(call, way, 1, false).out.values();
    for (const int threads : {1, 8, 2, 64, 3}) {
      omp_set_num_threads(threads);
      CAPTURE(threads);
      CHECK_EQ(first_difference(way.text().c_str(), run_call(call, way, 0, false).out.values(), wanted), "");
      CHECK(run_call(call_of(tiny), way, 64, false).status.ok());
      CHECK_EQ(omp_get_max_threads(), threads);
    }
    omp_set_num_threads(before);
  });
}

TEST_CASE("decode shapes are right for every thread count up to 64, first in a fresh team") {
  const perf::Workload workload(parsed("b=8 h=16:2 n=1:400 d=64:64 lengths"));
  const CheckedCall checked(call_of(workload));
  for_each_way([&](const Way& way) {
    for (int threads = 1; threads <= 64; threads += threads < 8 ? 1 : 8) CHECK_EQ(checked.run(way, threads, false), "");
  });
}

}  // namespace heed::tests
