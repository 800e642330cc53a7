// SPDX-License-Identifier: Apache-2.0
// check_answer() flags answers of calls that were made wrongly, and names the quantity and the place.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "cross_check/cross_check_run.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// A call with a mask, a right answer to it, and an answer that a test may spoil.
struct Planted {
  explicit Planted(const std::string& text = "b=2 h=4:2 n=9:21 d=16:8 mask=blocked:2:4:9:21 hidden=30")
      : workload(spec_of(text)), call(call_of(workload)) {
    for_each_isa([&](const std::string& isa) { answer = run_call(call, {Path::streaming, isa}, 1, true); });
  }
  CrossCheckReport check() const { return checked_answer(call, answer_of(answer)); }
  // The answer of a call with these options, or other inputs.
  CrossCheckReport check_answer_to(const Call& wrong) {
    answer = run_call(wrong, {Path::streaming, isas_under_test().front()}, 1, true);
    return check();
  }

  perf::Workload workload;
  Call call;
  Outputs answer;
};

void check_names(const CrossCheckReport& report, const std::string& names) {
  INFO(report.text);
  CHECK_EQ(failing(report), names);
  CHECK_NE(report.text.find("verdict        fail: " + names + "\n"), std::string::npos);
}

}  // namespace

TEST_CASE("a right answer passes") {
  const Planted planted;
  const CrossCheckReport report = planted.check();
  CHECK_EQ(failing(report), "");
  CHECK_EQ(report.verdict, Verdict::pass);
  CHECK(report.out.bound_share > 0.0);
  CHECK(report.out.bound_share < 1.0);
  CHECK(report.hidden_weight.count > 100);
  CHECK_EQ(report.plan.spec, "");
  CHECK_NE(report.text.find("brought along"), std::string::npos);
}

TEST_CASE("another scale is flagged") {
  Planted planted;
  Call wrong = planted.call;
  wrong.options.scale = 1.01f / std::sqrt(16.0f);
  check_names(planted.check_answer_to(wrong), "out, lse, weights");
}

TEST_CASE("the other polarity of a mask is flagged, and so are weights on hidden keys") {
  Planted planted;
  Call wrong = planted.call;
  wrong.options.mask->true_is_allowed = !wrong.options.mask->true_is_allowed;
  const CrossCheckReport report = planted.check_answer_to(wrong);
  check_names(report, "out, lse, weights, hidden weight");
  const Dims& at = report.hidden_weight.worst;
  const Oracle oracle(planted.call.q, planted.call.k, planted.call.v, planted.call.options);
  CHECK_FALSE(oracle.is_visible(at[0], at[1], at[2], at[3]));
  CHECK_EQ(static_cast<double>(planted.answer.weights.at(at[0], at[1], at[2], at[3])), report.hidden_weight.got);
}

TEST_CASE("two rows of K in each other's place are flagged at their keys") {
  Planted planted("b=2 h=4:2 n=9:21 d=16:8");
  const Tensor& k = planted.workload.k;
  const auto swap_rows = [&] {
    for (std::int64_t c = 0; c < 16; ++c)
      std::swap(static_cast<float*>(k.data)[element_offset(k.shape, k.strides, {1, 1, 3, c})],
                static_cast<float*>(k.data)[element_offset(k.shape, k.strides, {1, 1, 17, c})]);
  };
  swap_rows();
  planted.answer = run_call(planted.call, {Path::streaming, isas_under_test().front()}, 1, true);
  swap_rows();
  const CrossCheckReport report = planted.check();
  check_names(report, "out, weights");  // the sum of a row is the same in any order
  CHECK_EQ(report.weights.worst[0], 1);
  CHECK(report.weights.worst[1] >= 2);
  CHECK((report.weights.worst[3] == 3 || report.weights.worst[3] == 17));
}

TEST_CASE("softmax along the rows instead of the keys is flagged by the row sums") {
  const Planted planted("b=1 h=2:2 n=7:12 d=8:4");
  const auto [batch, heads, q_len, kv_len] = planted.call.weights_shape();
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t j = 0; j < kv_len; ++j) {
      // weight * exp(lse) is exp(score): normalised over the queries.
      const auto exp_score = [&](std::int64_t i) {
        return planted.answer.weights.at(0, h, i, j) * std::exp(planted.answer.lse.at(0, h, i, 0));
      };
      float sum = 0.0f;
      for (std::int64_t i = 0; i < q_len; ++i) sum += exp_score(i);
      for (std::int64_t i = 0; i < q_len; ++i) planted.answer.weights.at(0, h, i, j) = exp_score(i) / sum;
    }
  }
  for_each_element(planted.call.out_shape(), [&](auto b, auto h, auto i, auto c) {
    float sum = 0.0f;
    for (std::int64_t j = 0; j < kv_len; ++j)
      sum += planted.answer.weights.at(b, h, i, j) * element(planted.call.v, b, h, j, c);
    planted.answer.out.at(b, h, i, c) = sum;
  });
  check_names(planted.check(), "out, weights, row sum");
}

TEST_CASE("a query head that reads another KV head is flagged") {
  const Planted planted("b=1 h=4:2 n=9:21 d=16:8");
  Call wrong = planted.call;  // query head 1 on KV head 1: heads repeated in turn instead of consecutively
  for (ConstTensor* tensor : {&wrong.q, &wrong.k, &wrong.v}) {
    tensor->data = static_cast<const float*>(tensor->data) + tensor->strides[1];
    tensor->shape[1] = 1;
  }
  const Outputs other = run_call({wrong.q, wrong.k, wrong.v}, {Path::reference}, 1, false);
  for_each_element(other.out.shape(),
                   [&](auto b, auto, auto i, auto c) { planted.answer.out.at(b, 1, i, c) = other.out.at(b, 0, i, c); });
  const CrossCheckReport report = planted.check();
  check_names(report, "out");
  CHECK_EQ(report.out.worst[1], 1);
}

TEST_CASE("one wrong number in any quantity is found where it is") {
  const Dims at = {1, 3, 8, 7};
  {
    const Planted planted;
    planted.answer.out.at(1, 3, 8, 7) += 0.001f;
    const CrossCheckReport report = planted.check();
    check_names(report, "out");
    CHECK_EQ(report.out.worst, at);
    CHECK(std::abs(report.out.max_error - 0.001) < 1e-5);
    CHECK(report.out.mean_error < report.out.max_error / 100);
    CHECK(report.out.got - report.out.wanted > 0.0009);
    CHECK(report.out.bound_share > 1.0);
  }
  {
    const Planted planted;
    planted.answer.lse.at(1, 3, 8, 0) /= std::log(2.0f);  // base 2
    const CrossCheckReport report = planted.check();
    check_names(report, "lse");
    CHECK_EQ(report.lse.worst, Dims{1, 3, 8, 0});
  }
}

TEST_CASE("weights may each be within their bound while their sum is not") {
  const Planted planted("b=1 h=1:1 n=1:4000 d=64:1 fill=equal");
  for (std::int64_t j = 0; j < 4000; ++j) planted.answer.weights.at(0, 0, 0, j) *= 1.000003f;
  check_names(planted.check(), "row sum");
}

TEST_CASE("NaN and infinity on one side fail with their place, on both sides they agree") {
  for (const float value : {nan, infinity, -infinity}) {
    const Planted planted;
    planted.answer.out.at(1, 2, 3, 4) = value;
    planted.answer.lse.at(0, 1, 2, 0) = value;
    planted.answer.weights.at(1, 0, 5, 20) = value;
    const CrossCheckReport report = planted.check();
    CHECK_EQ(failing(report).substr(0, 26), "out, lse, weights, row sum");
    CHECK_EQ(report.out.worst, Dims{1, 2, 3, 4});
    CHECK_EQ(report.lse.worst, Dims{0, 1, 2, 0});
    CHECK_EQ(report.weights.worst, Dims{1, 0, 5, 20});
    CHECK_EQ(report.row_sum.worst, Dims{1, 0, 5, 0});
    CHECK(std::isinf(report.out.max_error));
  }
  Planted planted("b=1 h=2:2 n=5:9 d=8:8");
  static_cast<float*>(planted.workload.q.data)[3] = nan;
  planted.answer.out.at(0, 0, 0, 0) = 0.5f;  // where NaN is right
  CrossCheckReport report = planted.check();
  check_names(report, "out, lse, weights, row sum");
  CHECK_EQ(report.out.worst, Dims{0, 0, 0, 0});
  CHECK_EQ(failing(planted.check_answer_to(planted.call)), "");
  CHECK(std::isfinite(planted.check().bound));
}

TEST_CASE("a visible infinity in v, and scores of plus and minus infinity, agree on every path") {
  for (const char* where : {"v", "k"}) {
    const perf::Workload workload(spec_of("b=1 h=2:2 n=40:70 d=16:16"));
    const Tensor& tensor = where[0] == 'v' ? workload.v : workload.k;
    for (std::int64_t c = 0; c < (where[0] == 'v' ? 1 : 16); ++c)
      static_cast<float*>(tensor.data)[16 * 3 + c] = c == 0 ? infinity : 0.0f;
    const Call call = call_of(workload);
    for_each_way([&](const Way& way) {
      const CrossCheckReport report = cross_checked(call, options_for(call, way));
      INFO(report.text);
      CHECK_EQ(failing(report), "");
    });
  }
}

TEST_CASE("what a row that sees nothing must be is checked too") {
  const Planted planted("b=1 h=2:2 n=6:3 d=8:8 position=bottom_right causal");
  planted.answer.lse.at(0, 1, 0, 0) = -1e9f;
  planted.answer.out.at(0, 1, 1, 2) = 1e-30f;
  const CrossCheckReport report = planted.check();
  check_names(report, "out, lse");
  CHECK_EQ(report.lse.worst, Dims{0, 1, 0, 0});
  CHECK_EQ(report.out.worst, Dims{0, 1, 1, 2});
}

}  // namespace heed::tests
