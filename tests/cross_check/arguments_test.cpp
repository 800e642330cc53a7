// SPDX-License-Identifier: Apache-2.0
// What cross_check() and check_answer() do with arguments: which are used, which are left alone, and which
// are mistakes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cross_check/cross_check_run.hpp"

namespace heed::tests {
namespace {

struct Ready {
  explicit Ready(const std::string& text = "b=2 h=4:2 n=9:21 d=16:8 position=bottom_right causal lse weights")
      : workload(spec_of(text)), call(call_of(workload)) {}
  Status cross_check(const Options& options, Path against = Path::reference) {
    return heed::cross_check(call.q, call.k, call.v, options, report, against);
  }
  perf::Workload workload;
  Call call;
  CrossCheckReport report;
};

std::string message_of(const Status& status) { return status.message(); }

bool starts_with(const Status& status, const std::string& start) { return message_of(status).starts_with(start); }

}  // namespace

TEST_CASE("outputs and scratch of the options are neither used nor written") {
  Ready ready;
  Options options = ready.workload.options;
  REQUIRE(options.lse);
  REQUIRE(options.weights);
  std::vector<std::byte> scratch(1);  // too small for any call
  options.scratch = scratch;
  ready.workload.poison_outputs();
  for_each_way([&](const Way& way) {
    options.path = way.path;
    options.isa = way.isa;
    const Status status = ready.cross_check(options);
    CHECK_EQ(message_of(status), "");
    CHECK_EQ(failing(ready.report), "");
  });
  for (const Tensor& output : {ready.workload.out, ready.workload.lse, ready.workload.weights})
    for_each_element(output.shape, [&](auto... place) { CHECK(std::isnan(element(output, place...))); });
  options.lse = Tensor{nullptr, {7, 7, 7, 7}, {}};
  const Status status = ready.cross_check(options);
  CHECK_EQ(message_of(status), "");
}

TEST_CASE("any two paths can be held against each other") {
  Ready ready;
  Options options = ready.call.options;
  options.path = Path::reference;
  const Status status = ready.cross_check(options, Path::streaming);
  CHECK_EQ(message_of(status), "");
  CHECK_EQ(failing(ready.report), "");
  CHECK_EQ(ready.report.plan.path, Path::reference);
  CHECK_EQ(ready.report.reference_plan.path, Path::streaming);
  CHECK_NE(ready.report.text.find("against        streaming"), std::string::npos);
}

TEST_CASE("the bound is the wider one of the two paths") {
  Ready ready;
  for_each_way([&](const Way& way) {
    Options options = ready.call.options;
    for (const bool is_got : {true, false}) {
      options.path = is_got ? way.path : Path::reference;
      const Status status = ready.cross_check(options, is_got ? Path::reference : way.path);
      CHECK_EQ(message_of(status), "");
      const double narrow = error_bound(ready.report.score_magnitude, ready.report.max_abs_v);
      CHECK_EQ(ready.report.bound, way.path == Path::onednn ? 4.0 * narrow : narrow);
    }
  });
}

TEST_CASE("a path that is not in the build is unsupported, on either side") {
  const std::vector<std::string> paths = available_paths();
  if (std::ranges::find(paths, "onednn") != paths.end()) return;
  Ready ready;
  ready.report.text = "untouched";
  Options options = ready.call.options;
  Status status = ready.cross_check(options, Path::onednn);
  CHECK_EQ(status.code(), StatusCode::unsupported);
  CHECK_EQ(message_of(status), "against: path: onednn is not in this build");
  options.path = Path::onednn;
  status = ready.cross_check(options);
  CHECK_EQ(status.code(), StatusCode::unsupported);
  CHECK_EQ(message_of(status), "path: onednn is not in this build");
  CHECK_EQ(ready.report.text, "untouched");
}

TEST_CASE("mistakes are named, and the report stays as it was") {
  Ready ready;
  ready.report.text = "untouched";
  Options options = ready.call.options;
  CHECK(starts_with(ready.cross_check(options, static_cast<Path>(9)), "against: 9, expected 0 (automatic)"));
  options.path = static_cast<Path>(9);
  CHECK(starts_with(ready.cross_check(options), "path: 9, expected 0 (automatic)"));
  options = ready.call.options;
  options.isa = "sse9";
  CHECK(starts_with(ready.cross_check(options), "isa: 'sse9' is unknown"));
  options = ready.call.options;
  options.position.reset();
  CHECK(starts_with(ready.cross_check(options), "position: not given"));
  ready.call.k.data = nullptr;
  CHECK(starts_with(ready.cross_check(ready.call.options), "k: null pointer"));
  ready.call.k = ready.workload.k;
  ready.call.v.shape[2] = 20;
  CHECK(starts_with(ready.cross_check(ready.call.options), "v: dimension 2 is 20, expected 21 (kv_len)"));
  CHECK_EQ(ready.report.text, "untouched");
}

TEST_CASE("mistakes in a brought answer are named") {
  Ready ready;
  const Outputs outputs = run_call(ready.call, {Path::reference}, 1, true);
  const auto check = [&](const Answer& answer) {
    return check_answer(ready.call.q, ready.call.k, ready.call.v, answer, ready.call.options, ready.report);
  };
  Answer answer = answer_of(outputs);
  answer.out.shape[3] = 7;
  CHECK(starts_with(check(answer), "out: dimension 3 is 7, expected 8 (value_dim)"));
  CHECK(starts_with(check({}), "out: dimension 0 is 0, expected 2 (batch)"));
  answer = answer_of(outputs);
  answer.lse->shape[3] = 2;
  CHECK(starts_with(check(answer), "lse: dimension 3 is 2, expected 1"));
  answer = answer_of(outputs);
  answer.weights->data = nullptr;
  CHECK(starts_with(check(answer), "weights: null pointer"));
  answer = answer_of(outputs);
  answer.out.dtype = DType::f16;
  CHECK_EQ(check(answer).code(), StatusCode::unsupported);
}

TEST_CASE("what an answer has not is not checked") {
  Ready ready;
  const Outputs outputs = run_call(ready.call, {Path::reference}, 1, true);
  const CrossCheckReport report = checked_answer(ready.call, {.out = outputs.out.tensor()});
  CHECK_EQ(report.verdict, Verdict::pass);
  CHECK_EQ(report.out.verdict, Verdict::pass);
  for (const QuantityCheck* check : {&report.lse, &report.weights, &report.row_sum, &report.hidden_weight}) {
    CHECK_EQ(check->verdict, Verdict::not_checked);
    CHECK_EQ(check->count, 0);
    CHECK_NE(report.text.find(std::string(check->name)), std::string::npos);
  }
}

TEST_CASE("an answer may lie anyhow, and overlap the inputs") {
  // One row for all: every query sees the same keys with equal scores.
  perf::Workload workload(spec_of("b=2 h=4:2 n=9:21 d=8:8 fill=equal k=0:0:8:1 v=0:0:8:1"));
  const Call call = call_of(workload);
  const Outputs outputs = run_call(call, {Path::reference}, 1, true);
  Answer answer = answer_of(outputs);
  answer.out.strides = {0, 0, 0, 1};
  answer.lse->strides = {0, 0, 0, 0};
  answer.weights->strides = {0, 0, 0, 1};
  CHECK_EQ(failing(checked_answer(call, answer)), "");
  CrossCheckReport report;
  CHECK(check_answer(call.q, call.k, call.v, {.out = call.q}, call.options, report).ok());
  CHECK_EQ(failing(report), "out");
}

TEST_CASE("calls without elements pass") {
  for (const char* spec : {"b=0 h=2:2 n=5:5 d=8:8", "b=2 h=0:0 n=5:5 d=8:8", "b=2 h=2:2 n=0:5 d=8:8"}) {
    Ready ready(spec);
    const Status status = ready.cross_check(ready.call.options);
    CHECK_EQ(message_of(status), "");
    CHECK_EQ(ready.report.verdict, Verdict::pass);
    CHECK_EQ(ready.report.out.count, 0);
  }
}

TEST_CASE("the bound of the call is that of error_bound() over visible keys") {
  // Keys 1 and 2 have scores of magnitude 6 and 60, values of 4 and 40; key 2 is hidden, and -8 the bias of key 0.
  const float q[] = {1.0f, -2.0f}, k[] = {0.0f, 0.0f, 2.0f, 2.0f, 20.0f, 20.0f}, v[] = {1.0f, -4.0f, 40.0f};
  const float bias[] = {-8.0f, 0.5f, 0.0f};
  CrossCheckReport report;
  const Status status = cross_check(
      bhnd(q, 1, 1, 1, 2), bhnd(k, 1, 1, 3, 2), bhnd(v, 1, 1, 3, 1),
      {.scale = 1.0f, .bias = bhnd(bias, 1, 1, 1, 3), .position = Position::offset(1), .causal = true}, report);
  CHECK_EQ(message_of(status), "");
  CHECK_EQ(report.score_magnitude, 8.0);
  CHECK_EQ(report.max_abs_v, 4.0);
  CHECK_EQ(report.bound, error_bound(8.0, 4.0));
  CHECK_EQ(report.hidden_weight.count, 1);
}

}  // namespace heed::tests
