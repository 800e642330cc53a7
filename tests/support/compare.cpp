// SPDX-License-Identifier: Apache-2.0
#include "support/compare.hpp"

#include <bit>
#include <cstdio>

namespace heed::tests {

std::string Place::text() const {
  return "(batch " + std::to_string(batch) + ", head " + std::to_string(head) + ", row " + std::to_string(row) +
         ", dim " + std::to_string(dim) + ")";
}

void Comparison::add(const Place& place, double got, double wanted, double tolerance) {
  ++count_;
  if (const double error = std::abs(got - wanted); std::isfinite(error)) {
    max_error_ = std::max(max_error_, error);
    error_sum_ += error;
  }
  if (agrees(got, wanted, tolerance)) return;
  if (bad_++ > 0) return;
  first_ = place;
  got_ = got;
  wanted_ = wanted;
  tolerance_ = tolerance;
}

std::string Comparison::text(const std::string& spec) const {
  if (ok()) return "";
  char numbers[256];
  std::snprintf(numbers, sizeof numbers,
                " is %.9g, wanted %.9g within %.3g; %lld of %lld bad, max error %.3g, mean error %.3g", got_, wanted_,
                tolerance_, static_cast<long long>(bad_), static_cast<long long>(count_), max_error_, mean_error());
  return what_ + " at " + first_.text() + numbers + (spec.empty() ? "" : "\n  spec: " + spec);
}

std::string first_difference(const char* what, std::span<const float> got, std::span<const float> wanted,
                             double allowed) {
  if (got.size() != wanted.size()) return std::string(what) + ": sizes differ";
  for (std::size_t n = 0; n < got.size(); ++n) {
    const bool are_nan = std::isnan(got[n]) && std::isnan(wanted[n]);  // which NaN is not promised
    if (are_nan || std::bit_cast<std::uint32_t>(got[n]) == std::bit_cast<std::uint32_t>(wanted[n])) continue;
    const auto is = static_cast<double>(got[n]), was = static_cast<double>(wanted[n]);
    if (std::abs(is - was) <= allowed * std::max(1.0, std::abs(was))) continue;
    char text[128];
    std::snprintf(text, sizeof text, "%s: element %zu is %a, the other run has %a", what, n, is, was);
    return text;
  }
  return "";
}

}  // namespace heed::tests
