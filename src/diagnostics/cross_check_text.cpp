// SPDX-License-Identifier: Apache-2.0
// A report for people: the verdict and what fails, a line per quantity, the bound, both plans.
#include <array>
#include <charconv>
#include <cmath>

#include "diagnostics/cross_check.hpp"

namespace heed {
namespace {

constexpr int error_digits = 3;
constexpr int value_digits = 9;  // tells any two floats apart

std::string digits_of(double number, int digits) {
  if (std::isnan(number)) return "nan";  // of either sign
  std::array<char, 48> text{};
  const std::to_chars_result result =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits);
  return {text.data(), result.ptr};
}

std::string text_of(const Dims& place) {
  std::string text;
  for (const std::int64_t index : place) text.append(text.empty() ? "(" : ",").append(std::to_string(index));
  return text + ")";
}

constexpr std::size_t label_width = 15;

void add_line(std::string& text, std::string label, const std::string& value) {
  label.resize(label_width, ' ');
  text += label + value + '\n';
}

std::string text_of(const QuantityCheck& check) {
  std::string text = verdict_name(check.verdict);
  if (check.count == 0) return text;
  text += "  largest error " + digits_of(check.max_error, error_digits) + ", mean " +
          digits_of(check.mean_error, error_digits);
  if (check.max_error == 0.0) return text;
  return text + "; at " + text_of(check.worst) + " " + digits_of(check.got, value_digits) + ", expected " +
         digits_of(check.wanted, value_digits) + ", allowed " + digits_of(check.bound, error_digits);
}

std::string text_of(const Explanation& plan) {
  std::string text = path_name(plan.path);
  if (!plan.isa.empty()) text.append(" ").append(plan.isa);
  return text.append(", threads ").append(std::to_string(plan.threads));
}

}  // namespace

std::string text_of(const CrossCheckReport& report) {
  const std::array<const QuantityCheck*, 5> checks = {&report.out, &report.lse, &report.weights, &report.row_sum,
                                                      &report.hidden_weight};
  std::string failing;
  for (const QuantityCheck* check : checks)
    if (check->verdict == Verdict::fail) failing.append(failing.empty() ? ": " : ", ").append(check->name);
  std::string text;
  add_line(text, "verdict", verdict_name(report.verdict) + failing);
  for (const QuantityCheck* check : checks) add_line(text, check->name, text_of(*check));
  add_line(text, "bound of out",
           digits_of(report.bound, error_digits) + "  (A " + digits_of(report.score_magnitude, error_digits) +
               ", max|v| " + digits_of(report.max_abs_v, error_digits) + ")");
  add_line(text, "answer", report.plan.spec.empty() ? "brought along" : text_of(report.plan));
  add_line(text, "against", text_of(report.reference_plan));
  add_line(text, "spec", report.reference_plan.spec);
  return text;
}

}  // namespace heed
