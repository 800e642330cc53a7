// SPDX-License-Identifier: Apache-2.0
// cross_check() and check_answer() for C: converts structs, calls the C++ API, fills the caller's report.
#include <algorithm>
#include <cstddef>
#include <new>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "heed/cross_check.h"
#include "heed/cross_check.hpp"

namespace heed {
namespace {

constexpr bool same(Verdict a, heed_verdict b) { return static_cast<int>(a) == static_cast<int>(b); }
static_assert(same(Verdict::not_checked, HEED_NOT_CHECKED) && same(Verdict::pass, HEED_PASS) &&
                  same(Verdict::fail, HEED_FAIL),
              "heed_verdict in heed/cross_check.h and Verdict in heed/cross_check.hpp differ");

// What heed_cross_check_report_init() writes for ever, as in attention_c.cpp.
constexpr std::size_t report_size_0_1 = offsetof(heed_cross_check_report, text) + sizeof(heed_text);

heed_quantity_check found(const QuantityCheck& check) {
  heed_quantity_check result{};
  result.name = check.name;
  result.verdict = static_cast<std::int32_t>(check.verdict);
  result.count = check.count;
  result.max_error = check.max_error;
  result.mean_error = check.mean_error;
  result.bound_share = check.bound_share;
  std::ranges::copy(check.worst, result.worst);
  result.got = check.got;
  result.wanted = check.wanted;
  result.bound = check.bound;
  return result;
}

void fill_report(heed_cross_check_report& result, const CrossCheckReport& report) {
  result.verdict = static_cast<std::int32_t>(report.verdict);
  result.out = found(report.out);
  result.lse = found(report.lse);
  result.weights = found(report.weights);
  result.row_sum = found(report.row_sum);
  result.hidden_weight = found(report.hidden_weight);
  result.score_magnitude = report.score_magnitude;
  result.max_abs_v = report.max_abs_v;
  result.bound = report.bound;
  fill(result.text, report.text);
}

// A plan that the caller wants, as far as its struct goes.
class PlanTarget {
 public:
  Status open(const char* name, heed_explanation* given) {
    given_ = given;
    return given == nullptr ? Status{} : read_sized(name, "heed_explanation_init", *given, result_);
  }
  void write(const Explanation& plan) {
    if (given_ == nullptr) return;
    fill(result_, plan);
    write_sized(result_, *given_);
  }

 private:
  heed_explanation* given_ = nullptr;
  heed_explanation result_{};
};

// Calls `check` with a report of its own; nothing of the caller's is written before it succeeds.
template <class Check>
Status report_of(heed_cross_check_report* given, const Check& check) {
  if (given == nullptr) return null_result("report");
  heed_cross_check_report result{};
  PlanTarget plan, reference_plan;
  if (Status status = read_sized("report", "heed_cross_check_report_init", *given, result); !status.ok()) return status;
  if (Status status = plan.open("report: plan", result.plan); !status.ok()) return status;
  if (Status status = reference_plan.open("report: reference_plan", result.reference_plan); !status.ok()) return status;
  CrossCheckReport report;
  if (Status status = check(report); !status.ok()) return status;
  if (!report.plan.spec.empty()) plan.write(report.plan);
  reference_plan.write(report.reference_plan);
  fill_report(result, report);
  write_sized(result, *given);
  return {};
}

// The output of a call that has none.
constexpr heed_tensor nowhere{};

std::optional<ConstTensor> optional_tensor(const heed_const_tensor* tensor) {
  return tensor != nullptr ? std::optional(convert(*tensor)) : std::nullopt;
}

Status no_memory() { return make_status(StatusCode::out_of_memory, "report: its texts could not be allocated"); }

}  // namespace
}  // namespace heed

using namespace heed;

void heed_cross_check_report_init(heed_cross_check_report* report) {
  std::memset(report, 0, report_size_0_1);
  report->size = report_size_0_1;
}

int32_t heed_cross_check(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                         const heed_options* options, int32_t against, heed_cross_check_report* report, char* message,
                         size_t message_size) try {
  Arguments call;
  Status status = convert(q, k, v, &nowhere, options, call);
  if (status.ok())
    status = report_of(report, [&](CrossCheckReport& result) {
      return cross_check(call.q, call.k, call.v, call.options, result, static_cast<Path>(against));
    });
  return answer(status, message, message_size);
} catch (const std::bad_alloc&) {
  return answer(no_memory(), message, message_size);
}

int32_t heed_check_answer(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                          const heed_const_tensor* out, const heed_const_tensor* lse, const heed_const_tensor* weights,
                          const heed_options* options, int32_t against, heed_cross_check_report* report, char* message,
                          size_t message_size) try {
  Arguments call;
  Status status = convert(q, k, v, &nowhere, options, call);
  if (status.ok() && out == nullptr)
    status = make_status(StatusCode::null_data, "out: null pointer, expected a tensor");
  if (status.ok())
    status = report_of(report, [&](CrossCheckReport& result) {
      const Answer answer{convert(*out), optional_tensor(lse), optional_tensor(weights)};
      return check_answer(call.q, call.k, call.v, answer, call.options, result, static_cast<Path>(against));
    });
  return answer(status, message, message_size);
} catch (const std::bad_alloc&) {
  return answer(no_memory(), message, message_size);
}

const char* heed_verdict_name(int32_t verdict) { return verdict_name(static_cast<Verdict>(verdict)); }
