// SPDX-License-Identifier: Apache-2.0
// Random small problems on every path, ISA and two thread counts, for a fixed time. A failure prints a
// spec; --spec='...' runs that one again, and so does heed-sweep --spec.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "fuzz/random_spec.hpp"
#include "support/checked_call.hpp"
#include "support/compare.hpp"
#include "support/hidden_keys.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

bool broadcasts(const perf::Storage& storage) {
  return storage.order == perf::Storage::Order::strided &&
         std::ranges::find(storage.strides, 0) != storage.strides.end();
}

// With NaN and infinity in the keys that no row sees, the same bits.
std::string check_hidden_keys(const perf::Spec& spec) {
  if (broadcasts(spec.k) || broadcasts(spec.v)) return "";
  const perf::Workload clean(spec);
  perf::Workload dirty(spec);
  if (poison_hidden_keys(dirty) == 0) return "";
  std::string problem;
  for_each_way([&](const Way& way) {
    const Outputs wanted = run_call(call_of(clean), way, 1, true), got = run_call(call_of(dirty), way, 1, true);
    const std::string difference = first_difference("out", got.out.values(), wanted.out.values()) +
                                   first_difference("lse", got.lse.values(), wanted.lse.values()) +
                                   first_difference("weights", got.weights.values(), wanted.weights.values());
    if (problem.empty() && !difference.empty())
      problem = way.text() + ", NaN in hidden keys: " + difference + "\n  spec: " + perf::to_text(spec);
  });
  return problem;
}

double bound_share(const CheckedCall& checked) {
  double share = 0.0;
  for_each_isa([&](const std::string& isa) {
    share = std::max(share, checked.errors(run_call(checked.call(), {Path::streaming, isa}, 1, false)).bound_share);
  });
  return share;
}

}  // namespace

TEST_CASE("random problems are right on every path, ISA and thread count") {
  if (!run_options().spec.empty()) {
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(run_options().spec, spec), "");
    CHECK_EQ(run_spec_everywhere(run_options().spec, {1, 3}), "");
    CHECK_EQ(check_hidden_keys(spec), "");
    return;
  }
  Random random(run_options().seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int problems = 0, failures = 0;
  double largest_share = 0.0;
  std::string worst;
  while (elapsed() < run_options().seconds && failures < 5) {
    const perf::Spec spec = random_spec(random);
    const perf::Workload workload(spec);
    const CheckedCall checked(call_of(workload));
    std::string problem = checked.run_everywhere({1, 3});
    if (problem.empty() && problems % 3 == 0) problem = check_hidden_keys(spec);
    CHECK_EQ(problem, "");
    failures += problem.empty() ? 0 : 1;
    ++problems;
    if (const double share = bound_share(checked); share > largest_share)
      largest_share = share, worst = perf::to_text(spec);
  }
  MESSAGE("problems: ", problems, ", largest share of the error bound: ", largest_share, " at ", worst);
}

}  // namespace heed::tests
