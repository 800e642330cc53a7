// SPDX-License-Identifier: Apache-2.0
// Runs a path twice: once as a user would, timed, and once with the weights.
#include "audit/path_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include "audit/error.hpp"

namespace heed::audit {
namespace {

// Elements of a tensor, or an Error where they do not fit 64 bits.
std::int64_t elements_of(const Dims& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(elements, extent, &elements))
      throw Error("an output of shape " + shape_text(shape) + " does not fit 64 bits");
  return elements;
}

std::vector<float> unwritten(const Dims& shape) {
  return std::vector<float>(static_cast<std::size_t>(elements_of(shape)), std::numeric_limits<float>::quiet_NaN());
}

Grid<float> grid(const std::vector<float>& values, const Storage& storage, const Dims& shape) {
  return {values.data(), storage.strides(shape[1], shape[2], shape[3])};
}

Grid<double> grid(const Expected& expected) { return {expected.values.data(), expected.strides}; }

Difference larger(const Difference& a, const Difference& b) { return a.of_bound < b.of_bound ? b : a; }

std::string failure(const char* what, const Difference& difference) {
  char text[160];
  std::snprintf(text, sizeof text, "%s: off by %.3g at (%lld,%lld,%lld,%lld), %.3g times its row's bound at worst",
                what, difference.max, static_cast<long long>(difference.worst[0]),
                static_cast<long long>(difference.worst[1]), static_cast<long long>(difference.worst[2]),
                static_cast<long long>(difference.worst[3]), difference.of_bound);
  return text;
}

std::string failure(const char* what, double found, const char* wanted) {
  char text[160];
  std::snprintf(text, sizeof text, "%s: %.3g, expected %s", what, found, wanted);
  return text;
}

void judge(PathReport& report) {
  const auto require = [&](bool holds, const std::string& text) {
    if (!holds) report.failures.push_back(text);
  };
  require(report.out.holds(), failure("out against the reference path", report.out));
  require(report.lse.holds(), failure("lse against the reference path", report.lse));
  if (report.expect) require(report.expect->holds(), failure("out against --expect", *report.expect));
  if (report.expect_lse) require(report.expect_lse->holds(), failure("lse against --expect-lse", *report.expect_lse));
  require(report.weights.sums_hold(),
          failure("row sums of the weights are off by", report.weights.row_sum_error, "at most 1e-06"));
  require(report.weights.hidden_hold(), failure("weight on a hidden key", report.weights.hidden_weight, "exactly 0"));
}

// Repeats a call that has already run once, for the median of up to five more runs or one second.
template <class Attend>
double median_seconds(double first_seconds, Attend attend) {
  if (first_seconds > 1.0) return first_seconds;
  std::vector<double> seconds;
  for (double total = 0.0; seconds.size() < 5 && total < 1.0; total += seconds.back()) seconds.push_back(attend());
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

PathRunner::PathRunner(const Call& call, const AllRowFacts& facts, std::int64_t weight_bytes)
    : call_(call), facts_(facts) {
  const Sizes& sizes = call.sizes();
  std::int64_t bytes = 0;
  samples_weights_ = __builtin_mul_overflow(sizes.rows() * 4, sizes.kv_len, &bytes) || bytes > weight_bytes;
}

Status PathRunner::attend(Path path, Outputs& outputs, bool with_weights) const {
  const CallView& whole = call_.whole();
  const auto tensor = [&](std::vector<float>& values, const Dims& shape) {
    return Tensor{values.data(), shape, call_.storage().strides(shape[1], shape[2], shape[3])};
  };
  Options options = whole.options;
  options.path = path;
  options.lse = tensor(outputs.lse, whole.lse_shape);
  if (with_weights) options.weights = tensor(outputs.weights, whole.weights_shape);
  return attention(whole.q, whole.k, whole.v, tensor(outputs.out, whole.out_shape), options);
}

PathReport PathRunner::run(Path path, const Outputs* reference, bool keeps_weights, Outputs& outputs) const {
  const CallView& whole = call_.whole();
  PathReport report;
  report.path = path_name(path);
  const auto fail = [&](const Status& status) {
    report.failures = {status.message()};
    return report;
  };

  Options options = whole.options;
  options.path = path;
  Explanation explanation;
  const Dims out_strides = call_.storage().strides(whole.out_shape[1], whole.out_shape[2], whole.out_shape[3]);
  if (const Status status =
          explain(whole.q, whole.k, whole.v, {nullptr, whole.out_shape, out_strides}, options, explanation);
      !status.ok())
    return fail(status);
  report.isa = explanation.isa;
  report.threads = explanation.threads;
  report.spec = explanation.spec;
  report.plan = explanation.text;

  outputs = {unwritten(whole.out_shape), unwritten(whole.lse_shape), {}};
  Status status;
  const auto timed = [&] {
    const auto start = std::chrono::steady_clock::now();
    status = attend(path, outputs, false);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  report.seconds = timed();
  if (!status.ok()) return fail(status);
  report.seconds = median_seconds(report.seconds, timed);
  if (!status.ok()) return fail(status);

  const Outputs& right = reference == nullptr ? outputs : *reference;
  compare_outputs(path, outputs, right, report);
  Outputs second;
  status = judge_weights(path, outputs, right, keeps_weights || !samples_weights_, second, report);
  if (!status.ok()) return fail(status);
  report.has_run = true;
  if (keeps_weights) outputs.weights = std::move(second.weights);
  judge(report);
  return report;
}

void PathRunner::compare_outputs(Path path, const Outputs& outputs, const Outputs& reference,
                                 PathReport& report) const {
  const CallView& whole = call_.whole();
  const Storage& storage = call_.storage();
  const auto out_bound = [&](const RowPlace& row) { return facts_.at(row).out_bound(path); };
  const auto lse_bound = [&](const RowPlace& row) { return facts_.at(row).lse_bound(path); };
  const auto out = grid(outputs.out, storage, whole.out_shape);
  const auto lse = grid(outputs.lse, storage, whole.lse_shape);
  const std::int64_t channels = call_.sizes().value_dim;
  report.out = compare(call_.sizes(), channels, out, grid(reference.out, storage, whole.out_shape), out_bound);
  report.lse = compare(call_.sizes(), 1, lse, grid(reference.lse, storage, whole.lse_shape), lse_bound);
  if (call_.expect()) report.expect = compare(call_.sizes(), channels, out, grid(*call_.expect()), out_bound);
  if (call_.expect_lse()) report.expect_lse = compare(call_.sizes(), 1, lse, grid(*call_.expect_lse()), lse_bound);
}

Status PathRunner::judge_weights(Path path, const Outputs& outputs, const Outputs& reference, bool is_whole,
                                 Outputs& second, PathReport& report) const {
  report.weights_are_sampled = !is_whole;
  if (!is_whole) return look_at_sampled_weights(call_, facts_, path, report.weights);
  const CallView& whole = call_.whole();
  second = {unwritten(whole.out_shape), unwritten(whole.lse_shape), unwritten(whole.weights_shape)};
  if (Status status = attend(path, second, true); !status.ok()) return status;
  report.weights = look_at_weights(call_, facts_, grid(second.weights, call_.storage(), whole.weights_shape));

  // Asking for weights must not change the answer: what was found is the worse of both runs.
  if (second.out == outputs.out && second.lse == outputs.lse) return {};
  PathReport with_weights;
  compare_outputs(path, second, reference, with_weights);
  report.out = larger(report.out, with_weights.out);
  report.lse = larger(report.lse, with_weights.lse);
  if (report.expect) report.expect = larger(*report.expect, *with_weights.expect);
  if (report.expect_lse) report.expect_lse = larger(*report.expect_lse, *with_weights.expect_lse);
  return {};
}

}  // namespace heed::audit
