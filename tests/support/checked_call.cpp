// SPDX-License-Identifier: Apache-2.0
#include "support/checked_call.hpp"

#include <cmath>

#include "support/compare.hpp"
#include "support/tolerance.hpp"

namespace heed::tests {

Call call_of(const perf::Workload& workload) {
  Call call{workload.q, workload.k, workload.v, workload.options, perf::to_text(workload.spec), workload.out.strides};
  call.options.lse.reset();
  call.options.weights.reset();
  return call;
}

Outputs run_call(const Call& call, const Way& way, int threads, bool wants_weights, Edge edge,
                 const std::optional<ClassIndices>& classes) {
  Outputs outputs;
  outputs.out = call.out_strides ? GuardedTensor(call.out_shape(), *call.out_strides, edge)
                                 : GuardedTensor(call.out_shape(), Storage::bhnd, edge);
  outputs.lse = GuardedTensor(call.lse_shape(), Storage::bhnd, edge);
  if (wants_weights) outputs.weights = GuardedTensor(call.weights_shape(), Storage::bhnd, edge);
  outputs.path = way.path;
  Options options = call.options;
  options.path = way.path;
  options.isa = way.isa;
  options.threads = threads;
  options.lse = outputs.lse.tensor();
  if (wants_weights) options.weights = outputs.weights.tensor();
  std::size_t bytes = 0;
  const Tensor out = outputs.out.tensor();
  outputs.status = classes ? scratch_size_classes(call.q, call.k, *classes, out, options, bytes)
                           : scratch_size(call.q, call.k, call.v, out, options, bytes);
  const GuardedBuffer<std::byte> scratch(bytes, edge);
  options.scratch = scratch.values();
  if (outputs.status.ok())
    outputs.status = classes ? attention_classes(call.q, call.k, *classes, out, options)
                             : attention(call.q, call.k, call.v, out, options);
  return outputs;
}

CheckedCall::CheckedCall(Call call) : call_(std::move(call)) {
  const Oracle oracle(call_.q, call_.k, call_.v, call_.options);
  for_each_element(call_.lse_shape(), [&](auto b, auto h, auto i, auto) { answers_.push_back(oracle.row(b, h, i)); });
}

std::string CheckedCall::check(const Outputs& outputs, const std::string& how) const {
  if (!outputs.status.ok()) return how + ": " + outputs.status.message() + "\n  spec: " + call_.spec;
  if (!outputs.out.is_outside_untouched() || !outputs.lse.is_outside_untouched() ||
      !outputs.weights.is_outside_untouched())
    return how + ": memory outside the outputs was written\n  spec: " + call_.spec;
  const bool has_weights = element_count(outputs.weights.shape()) > 0;
  Comparison out(how + ": out"), lse(how + ": lse"), weights(how + ": weights"), row_sum(how + ": row sum");
  std::size_t row = 0;
  for_each_element(call_.lse_shape(), [&](auto b, auto h, auto i, auto) {
    const RowAnswer& answer = answers_[row++];
    const double out_bound = out_tolerance(answer.magnitude, answer.max_abs_v, outputs.path);
    for (std::int64_t c = 0; c < call_.v.shape[3]; ++c)
      out.add({b, h, i, c}, static_cast<double>(outputs.out.at(b, h, i, c)), answer.out[static_cast<std::size_t>(c)],
              out_bound);
    // A row that NaN or a score of plus infinity reached: out says so, lse and the weights of visible keys
    // hold nothing of use, and a hidden key still weighs exactly 0.
    if (std::isnan(answer.lse)) {
      for (std::int64_t j = 0; has_weights && j < call_.k.shape[2]; ++j)
        if (answer.weights[static_cast<std::size_t>(j)] == 0.0)
          weights.add({b, h, i, j}, static_cast<double>(outputs.weights.at(b, h, i, j)), 0.0, 0.0);
      return;
    }
    lse.add({b, h, i, 0}, static_cast<double>(outputs.lse.at(b, h, i, 0)), answer.lse,
            lse_tolerance(answer.magnitude, answer.lse, outputs.path));
    if (!has_weights) return;
    double sum = 0.0;
    for (std::int64_t j = 0; j < call_.k.shape[2]; ++j) {
      const double wanted = answer.weights[static_cast<std::size_t>(j)];
      const double got = static_cast<double>(outputs.weights.at(b, h, i, j));
      sum += got;
      weights.add({b, h, i, j}, got, wanted,
                  wanted == 0.0 ? 0.0 : weight_tolerance(answer.magnitude, wanted, outputs.path));
    }
    // Without a sink it is the distance from 1; with one, the sink's share has an error of its own.
    const double sink_error = call_.options.sinks.empty() ? 0.0 : error_bound(answer.magnitude, 1.0, outputs.path);
    row_sum.add({b, h, i, 0}, sum, answer.row_sum, row_sum_tolerance + sink_error);
  });
  for (const Comparison* comparison : {&out, &lse, &weights, &row_sum})
    if (!comparison->ok()) return comparison->text(call_.spec);
  return "";
}

std::string CheckedCall::run(const Way& way, int threads, bool wants_weights) const {
  const std::string how = way.text() + ", threads " + std::to_string(threads) + (wants_weights ? ", with weights" : "");
  return check(run_call(call_, way, threads, wants_weights), how);
}

std::string CheckedCall::run_everywhere(const std::vector<int>& threads) const {
  std::string problem;
  for_each_way([&](const Way& way) {
    std::vector<float> first;
    for (const int count : threads) {
      for (const bool wants_weights : {false, true}) {
        if (!problem.empty()) return;
        const Outputs outputs = run_call(call_, way, count, wants_weights);
        const std::string how =
            way.text() + ", threads " + std::to_string(count) + (wants_weights ? ", with weights" : "");
        problem = check(outputs, how);
        if (!problem.empty()) return;
        const std::vector<float> out = outputs.out.values();
        if (first.empty()) first = out;
        problem = first_difference((how + ": out").c_str(), out, first);
        if (!problem.empty()) problem += "\n  spec: " + call_.spec;
      }
    }
  });
  return problem;
}

CheckedCall::Errors CheckedCall::errors(const Outputs& outputs) const {
  Errors errors;
  std::size_t row = 0;
  for_each_element(call_.lse_shape(), [&](auto b, auto h, auto i, auto) {
    const RowAnswer& answer = answers_[row++];
    for (std::int64_t c = 0; c < call_.v.shape[3]; ++c) {
      const double error =
          std::abs(static_cast<double>(outputs.out.at(b, h, i, c)) - answer.out[static_cast<std::size_t>(c)]);
      errors.largest = std::max(errors.largest, error);
      if (error > 0.0)
        errors.bound_share =
            std::max(errors.bound_share, error / out_tolerance(answer.magnitude, answer.max_abs_v, outputs.path));
    }
  });
  return errors;
}

std::string run_spec_everywhere(const std::string& spec, const std::vector<int>& threads) {
  perf::Spec parsed;
  if (std::string problem = perf::parse_spec(spec, parsed); !problem.empty()) return problem;
  const perf::Workload workload(parsed);
  return CheckedCall(call_of(workload)).run_everywhere(threads);
}

}  // namespace heed::tests
