// SPDX-License-Identifier: Apache-2.0
// What the tests of cross_check() share: a run that must succeed, and which quantities fail.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "heed/cross_check.hpp"
#include "support/checked_call.hpp"

namespace heed::tests {

inline std::string failing(const CrossCheckReport& report) {
  std::string names;
  for (const QuantityCheck* check : {&report.out, &report.lse, &report.weights, &report.row_sum, &report.hidden_weight})
    if (check->verdict == Verdict::fail) names += (names.empty() ? "" : ", ") + std::string(check->name);
  CHECK_EQ(report.verdict == Verdict::fail, !names.empty());
  return names;
}

inline perf::Spec spec_of(const std::string& text) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec(text, spec), "");
  return spec;
}

inline Options options_for(const Call& call, const Way& way) {
  Options options = call.options;
  options.path = way.path;
  options.isa = way.isa;
  return options;
}

inline CrossCheckReport cross_checked(const Call& call, const Options& options) {
  CrossCheckReport report;
  const Status status = cross_check(call.q, call.k, call.v, options, report);
  CHECK_EQ(std::string(status.message()), "");
  return report;
}

inline Answer answer_of(const Outputs& outputs) {
  Answer answer{outputs.out.tensor(), outputs.lse.tensor(), {}};
  if (outputs.weights.shape()[0] > 0) answer.weights = outputs.weights.tensor();
  return answer;
}

inline CrossCheckReport checked_answer(const Call& call, const Answer& answer) {
  CrossCheckReport report;
  const Status status = check_answer(call.q, call.k, call.v, answer, call.options, report);
  CHECK_EQ(std::string(status.message()), "");
  return report;
}

}  // namespace heed::tests
