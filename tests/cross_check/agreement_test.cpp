// SPDX-License-Identifier: Apache-2.0
// cross_check() passes where the paths are right: on every named call, every stored case, and on random
// problems. What it finds part by part is what the whole call's answer shows.
#include <doctest/doctest.h>

#include "cases/read_cases.hpp"
#include "cases/stored_case.hpp"
#include "cross_check/cross_check_run.hpp"
#include "fuzz/random_spec.hpp"
#include "support/cases.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

void check_same(const QuantityCheck& a, const QuantityCheck& b) {
  CAPTURE(std::string(a.name));
  CHECK_EQ(a.count, b.count);
  CHECK_EQ(a.max_error, b.max_error);
  CHECK_EQ(a.mean_error, b.mean_error);
  CHECK_EQ(a.bound_share, b.bound_share);
  CHECK_EQ(a.worst, b.worst);
  CHECK_EQ(a.got, b.got);
}

// Errors of the parts are errors of the call: its answer, made at once, is found to be as far off.
void check_parts_are_the_whole(const Call& call, const Way& way, const CrossCheckReport& by_parts) {
  const CrossCheckReport whole = checked_answer(call, answer_of(run_call(call, way, 1, true)));
  CHECK_EQ(failing(whole), "");
  check_same(whole.out, by_parts.out);
  check_same(whole.lse, by_parts.lse);
  check_same(whole.weights, by_parts.weights);
  check_same(whole.row_sum, by_parts.row_sum);
  check_same(whole.hidden_weight, by_parts.hidden_weight);
}

void check_workload(const perf::Spec& spec) {
  const perf::Workload workload(spec);
  const Call call = call_of(workload);
  CAPTURE(call.spec);
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const CrossCheckReport report = cross_checked(call, options_for(call, way));
    INFO(report.text);
    CHECK_EQ(failing(report), "");
    CHECK_EQ(report.plan.path, way.path);
    CHECK_EQ(report.plan.isa, way.isa);
    CHECK_EQ(report.reference_plan.path, Path::reference);
    CHECK_EQ(report.out.count, element_count(call.out_shape()));
    CHECK_EQ(report.lse.count, element_count(call.lse_shape()));
    CHECK_EQ(report.weights.count, element_count(call.weights_shape()));
    // oneDNN's own blocking may depend on the shape of the call.
    if (way.path != Path::onednn) check_parts_are_the_whole(call, way, report);
  });
}

}  // namespace

TEST_CASE("every named call agrees with the reference path, and its parts are those of the whole call") {
  for (const NamedSpec& row : named_specs) check_workload(spec_of(row.spec));
}

TEST_CASE("random problems agree with the reference path") {
  Random random(run_options().seed);
  for (int n = 0; n < 100; ++n) check_workload(random_spec(random));
}

TEST_CASE("every stored case agrees with the reference path, NaN in hidden keys or not") {
  int compared = 0;
  for (const char* file : {"tests/data/cases.json", "tests/data/onnx_attention.json"}) {
    for (const Case& the_case : read_case_file(file)) {
      if (!the_case.skip_reason.empty()) continue;
      CAPTURE(the_case.name);
      StoredCase stored(the_case, Storage::bnhd);
      for (const bool poisoned : {false, true}) {
        if (poisoned) stored.poison_hidden_keys();
        CaseCall inputs;
        stored.prepare({0, the_case.kv_len}, inputs);
        const Call call{inputs.q, inputs.k, inputs.v, inputs.options};
        for_each_way([&](const Way& way) {
          const CrossCheckReport report = cross_checked(call, options_for(call, way));
          INFO(report.text);
          CHECK_EQ(failing(report), "");
        });
      }
      ++compared;
    }
  }
  CHECK(compared > 40);
}

TEST_CASE("the report does not depend on the thread count") {
  const perf::Workload workload(spec_of("b=2 h=4:2 n=130:150 d=16:16 position=bottom_right causal sinks"));
  const Call call = call_of(workload);
  Options options = call.options;
  options.threads = 1;
  const CrossCheckReport one = cross_checked(call, options);
  options.threads = 5;
  const CrossCheckReport five = cross_checked(call, options);
  check_same(one.out, five.out);
  check_same(one.weights, five.weights);
  CHECK_EQ(one.bound, five.bound);
}

TEST_CASE("a head whose weights pass 64 MiB is compared in blocks of rows" * doctest::test_suite("slow")) {
  for (const char* spec : {"b=1 h=1:1 n=4200:4100 d=1:1 position=-50 causal window=300:-1 bias=1:1:4200:1",
                           "b=1 h=6:2 n=2:2900000 d=1:1 position=per_batch causal lengths"}) {
    const perf::Workload workload(spec_of(spec));
    const Call call = call_of(workload);
    const CrossCheckReport report = cross_checked(call, call.options);
    INFO(report.text);
    CHECK_EQ(failing(report), "");
    CHECK_EQ(report.weights.count, element_count(call.weights_shape()));
    CHECK_EQ(report.row_sum.count, element_count(call.lse_shape()));
    CHECK_EQ(report.out.count, element_count(call.out_shape()));
  }
  // Blocks of rows have the positions that the rows have in the call.
  const perf::Workload workload(spec_of("b=1 h=1:1 n=4200:4100 d=1:1 position=-50 causal slopes bias=1:1:4200:1"));
  const Call call = call_of(workload);
  const Outputs outputs = run_call(call, {Path::streaming, isas_under_test().front()}, 1, true);
  outputs.weights.at(0, 0, 4198, 7) += 0.001f;
  const CrossCheckReport report = checked_answer(call, answer_of(outputs));
  CHECK_EQ(failing(report), "weights, row sum");
  CHECK_EQ(report.weights.worst, Dims{0, 0, 4198, 7});
}

}  // namespace heed::tests
