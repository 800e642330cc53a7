// SPDX-License-Identifier: Apache-2.0
// cross_check() and check_answer(): validate, plan, then both answers part by part, compared as they come.
#include "heed/cross_check.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "api/validate.hpp"
#include "diagnostics/call_part.hpp"
#include "diagnostics/cross_check.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status no_memory() {
  return make_status(StatusCode::out_of_memory, "report: memory for the answers to compare could not be allocated");
}

View<const float> view(const ConstTensor& tensor) { return {static_cast<const float*>(tensor.data), tensor.strides}; }

// The outputs of a part, packed, in memory that the next part uses again.
class Outputs {
 public:
  // What a path leaves out stays `unwritten`.
  explicit Outputs(float unwritten) : unwritten_(unwritten) {}

  Status attend(const Inputs& inputs, Path path, bool with_weights) {
    const Dims& q = inputs.q.shape;
    constexpr std::int64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float);
    const std::int64_t widest = std::max({std::int64_t{1}, inputs.v.shape[3], with_weights ? inputs.k.shape[2] : 0});
    if (q[1] * q[2] > most / widest) return no_memory();
    Options options = inputs.options;
    options.path = path;
    const Tensor out = tensor(out_, q[1], q[2], inputs.v.shape[3]);
    options.lse = tensor(lse_, q[1], q[2], 1);
    if (with_weights) options.weights = tensor(weights_, q[1], q[2], inputs.k.shape[2]);
    view_ = {view(out), view(*options.lse), with_weights ? view(*options.weights) : View<const float>{}, path};
    return attention(inputs.q, inputs.k, inputs.v, out, options);
  }
  const AnswerView& answer() const { return view_; }

 private:
  Tensor tensor(std::vector<float>& values, std::int64_t heads, std::int64_t rows, std::int64_t channels) {
    values.assign(static_cast<std::size_t>(heads * rows * channels), unwritten_);
    return bhnd(values.data(), 1, heads, rows, channels);
  }

  float unwritten_;
  std::vector<float> out_, lse_, weights_;
  AnswerView view_;
};

// One KV head after the other, all of its rows at once as far as their weights allow.
class Check {
 public:
  Check(const Inputs& whole, const Answer* answer, Path against)
      : whole_(whole),
        answer_(answer),
        against_(against),
        problem_(make_problem(whole.q, whole.k, whole.v, {}, whole.options)) {}

  Status run() {
    if (problem_.is_empty()) return {};
    for (std::int64_t b = 0; b < problem_.batch; ++b)
      for (std::int64_t kv_head = 0; kv_head < problem_.kv_heads; ++kv_head)
        if (Status status = check_head(b, kv_head); !status.ok()) return status;
    return {};
  }
  const Tallies& tallies() const { return tallies_; }
  Given given() const { return {!answer_ || answer_->lse, !answer_ || answer_->weights}; }

 private:
  Status check_head(std::int64_t b, std::int64_t kv_head) {
    constexpr std::int64_t most_weights = (std::int64_t{64} << 20) / sizeof(float);
    const bool wants_weights = given().weights;
    const std::int64_t rows = std::clamp<std::int64_t>(
        most_weights / std::max<std::int64_t>(problem_.kv_len, 1) / problem_.group, 1, problem_.q_len);
    const bool is_whole = rows == problem_.q_len;
    const Part head{b, kv_head, 0, problem_.q_len};
    if (Status status = check_part(head, true, wants_weights && is_whole); !status.ok()) return status;
    if (!wants_weights || is_whole) return {};
    for (std::int64_t first = 0; first < problem_.q_len; first += rows) {
      const Part block{b, kv_head, first, std::min(rows, problem_.q_len - first)};
      if (Status status = check_part(block, false, true); !status.ok()) return status;
    }
    return {};
  }

  Status check_part(const Part& part, bool with_results, bool with_weights) {
    const Inputs inputs = part_of(whole_, problem_, part);
    if (Status status = wanted_.attend(inputs, against_, with_weights); !status.ok()) return status;
    AnswerView got;
    if (answer_ != nullptr) {
      got = brought_along(part);
    } else {
      if (Status status = got_.attend(inputs, inputs.options.path, with_weights); !status.ok()) return status;
      got = got_.answer();
    }
    if (!with_results) got.out = got.lse = {};
    if (!with_weights) got.weights = {};
    const Problem problem = make_problem(inputs.q, inputs.k, inputs.v, {}, inputs.options);
    const Dims first = {part.batch, part.kv_head * problem_.group, part.first_row, 0};
    tallies_.add(compare(problem, first, got, wanted_.answer(), inputs.options.threads));
    return {};
  }

  AnswerView brought_along(const Part& part) const {
    const auto rows = [&](const std::optional<ConstTensor>& tensor) {
      return tensor ? view(rows_of(*tensor, problem_, part)) : View<const float>{};
    };
    return {rows(answer_->out), rows(answer_->lse), rows(answer_->weights), Path::streaming};
  }

  const Inputs& whole_;
  const Answer* answer_;
  const Path against_;
  const Problem problem_;
  // Different, so that an element that both leave out is an error.
  Outputs got_{std::numeric_limits<float>::quiet_NaN()}, wanted_{0.0f};
  Tallies tallies_;
};

Status plan_of(const Inputs& inputs, Path path, Explanation& plan) {
  const Dims& q = inputs.q.shape;
  Options options = inputs.options;
  options.path = path;
  const Tensor out = bhnd(static_cast<float*>(nullptr), q[0], q[1], q[2], inputs.v.shape[3]);
  return explain(inputs.q, inputs.k, inputs.v, out, options, plan);
}

// The path may be one that this build has not.
Status plan_against(const Inputs& inputs, Path against, Explanation& plan) {
  const Status status = plan_of(inputs, against, plan);
  return status.ok() ? status : make_status(status.code(), "against: %s", status.message());
}

// `answer` is null where the call's own path is to be checked.
Status run_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer* answer,
                 const Options& options, CrossCheckReport& report, Path against) {
  Inputs inputs{q, k, v, options};
  inputs.options.lse.reset();
  inputs.options.weights.reset();
  inputs.options.scratch = {};
  if (Status status = validate_check(q, k, v, answer, inputs.options, against); !status.ok()) return status;
  Explanation plan, reference_plan;
  if (answer == nullptr) {
    if (Status status = plan_of(inputs, inputs.options.path, plan); !status.ok()) return status;
    inputs.options.path = plan.path;  // what the environment names, where the call names none
  }
  if (Status status = plan_against(inputs, against, reference_plan); !status.ok()) return status;
  Check check(inputs, answer, against);
  if (Status status = check.run(); !status.ok()) return status;
  CrossCheckReport result = judge(check.tallies(), check.given());
  result.plan = std::move(plan);
  result.reference_plan = std::move(reference_plan);
  result.text = text_of(result);
  report = std::move(result);
  return {};
}

}  // namespace

Status cross_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Options& options,
                   CrossCheckReport& report, Path against) noexcept try {
  return run_check(q, k, v, nullptr, options, report, against);
} catch (const std::bad_alloc&) {
  return no_memory();
}

Status check_answer(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer& answer,
                    const Options& options, CrossCheckReport& report, Path against) noexcept try {
  return run_check(q, k, v, &answer, options, report, against);
} catch (const std::bad_alloc&) {
  return no_memory();
}

const char* verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    default: return "not checked";
  }
}

}  // namespace heed
