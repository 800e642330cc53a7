// SPDX-License-Identifier: Apache-2.0
// Experiment D. A row of four scores t, t-1, t-2, t-3 has the same weights for every t; exp(t) does not fit
// float32 from t = 88.73 on.
#include <array>
#include <cmath>

#include "audit/compare.hpp"
#include "audit/experiments.hpp"
#include "audit/small_call.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t keys = 4;
constexpr std::array<double, keys> right_weights = {0.6439142599, 0.2368828181, 0.0871443187, 0.0320586033};
constexpr double right_lse_above_top = 0.4401896986;  // ln(1 + e^-1 + e^-2 + e^-3)
constexpr double overflows_at = 88.73;
constexpr float tops[] = {10.0f, 80.0f, 88.0f, 89.0f, 100.0f, 151.0f, 1000.0f, 100000.0f};

// Softmax in float32 as the formula stands, without the maximum.
std::array<float, keys> naive_weights(float top, float& sum) {
  std::array<float, keys> weights{};
  sum = 0.0f;
  for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] = std::exp(top - static_cast<float>(j));
  for (float& weight : weights) weight /= sum;
  return weights;
}

template <class Weights>
double weight_error(const Weights& weights) {
  double worst = 0.0;
  for (std::size_t j = 0; j < right_weights.size(); ++j)
    worst = std::max(worst, distance(static_cast<double>(weights[j]), right_weights[j]));
  return worst;
}

// One query of 1 over keys that are their own scores; values 0, 1, 2, 3.
SmallAnswer run(float top, const Way& way) {
  const SmallCall call{small_sizes(1, 1, 1, keys, 1), {1}, {top, top - 1, top - 2, top - 3}, {0, 1, 2, 3}};
  return attend(call, way, {.scale = 1.0f});
}

// Of weights and out absolute, of lse in units of 1 + t, which float32 rounds it to.
double error_of(const SmallAnswer& answer, double top) {
  double right_out = 0.0;
  for (std::size_t j = 0; j < right_weights.size(); ++j) right_out += static_cast<double>(j) * right_weights[j];
  const double lse = distance(static_cast<double>(answer.lse[0]), top + right_lse_above_top) / (1.0 + top);
  return std::max({weight_error(answer.weights), distance(static_cast<double>(answer.out[0]), right_out), lse});
}

}  // namespace

Experiment stability_experiment() {
  const std::vector<Way> ways = all_ways();
  std::vector<std::string> heads = {"largest score t", "sum of naive exp", "naive weight 0", "naive error"};
  for (const Way& way : ways) heads.push_back(way.name() + " error");
  heads.push_back("verdict");
  Experiment found{.letter = 'D',
                   .title = "Stability: exp overflows unless the maximum is subtracted first",
                   .setting =
                       "One row with scores t, t-1, t-2, t-3: the same weights for every t. Naive: exp(score) / sum in "
                       "float32. Errors\n"
                       "are the largest of weights, out, and lse / (1 + t); inf where the answer is not a number.",
                   .expected =
                       "the naive sum is infinite from t = 89 on, and its weights are wrong; every path stays within "
                       "1e-06 for every t",
                   .seen = {},
                   .table = Table(heads)};
  found.holds = true;
  double worst = 0.0;
  std::string overflowed;
  for (const float top : tops) {
    float sum = 0.0f;
    const auto naive = naive_weights(top, sum);
    const double naive_error = weight_error(naive);
    std::vector<std::string> cells = {text("%g", static_cast<double>(top)), number("%.4g", static_cast<double>(sum)),
                                      number("%.4g", static_cast<double>(naive[0])), number(naive_error)};
    const bool overflows = !std::isfinite(sum);
    if (overflows) overflowed += (overflowed.empty() ? "" : ", ") + text("%g", static_cast<double>(top));
    bool holds = overflows == (static_cast<double>(top) >= overflows_at) && (naive_error > 1e-6) == overflows;
    for (const Way& way : ways) {
      const double error = error_of(run(top, way), static_cast<double>(top));
      holds = holds && error <= 1e-6;
      worst = std::max(worst, error);
      cells.push_back(number(error));
    }
    cells.push_back(verdict(holds));
    found.table.add(cells);
    found.holds = found.holds && holds;
  }
  found.seen = "naive exp overflows at t = " + overflowed + "; no path is off by more than " + number(worst);
  return found;
}

}  // namespace heed::audit
