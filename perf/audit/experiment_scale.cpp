// SPDX-License-Identifier: Apache-2.0
// Experiment A. The softmax gradient of a row is J = diag(a) - a a^T; its Frobenius norm goes to 0 as one
// weight goes to 1, and with it everything that training could learn from this row.
#include <algorithm>
#include <cmath>

#include "audit/experiments.hpp"
#include "audit/small_call.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t heads = 32, q_len = 32, kv_len = 16;

struct Spread {
  double variance = 0.0;  // of all scores
  double entropy = 0.0;   // mean over rows, nats
  double jacobian = 0.0;  // median over rows of the Frobenius norm of J
};

double score_variance(const SmallCall& call, double scale) {
  const std::int64_t d = call.sizes.head_dim;
  double sum = 0.0, squares = 0.0;
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < q_len; ++i)
      for (std::int64_t j = 0; j < kv_len; ++j) {
        const float* q = call.q.data() + (h * q_len + i) * d;
        const float* k = call.k.data() + (h * kv_len + j) * d;
        double score = 0.0;
        for (std::int64_t c = 0; c < d; ++c) score += static_cast<double>(q[c]) * static_cast<double>(k[c]);
        sum += score * scale;
        squares += score * scale * score * scale;
      }
  constexpr double count = heads * q_len * kv_len;
  return squares / count - sum / count * (sum / count);
}

double entropy_of(const float* weights) {
  double entropy = 0.0;
  for (std::int64_t j = 0; j < kv_len; ++j)
    if (const auto weight = static_cast<double>(weights[j]); weight > 0.0) entropy -= weight * std::log(weight);
  return entropy;
}

double jacobian_norm(const float* weights) {
  double squares = 0.0;
  for (std::int64_t i = 0; i < kv_len; ++i)
    for (std::int64_t j = 0; j < kv_len; ++j) {
      const auto a = static_cast<double>(weights[i]), b = static_cast<double>(weights[j]);
      const double cell = (i == j ? a : 0.0) - a * b;
      squares += cell * cell;
    }
  return std::sqrt(squares);
}

Spread spread_of(const SmallCall& call, double scale) {
  const SmallAnswer answer = attend(call, all_ways().front(), {.scale = static_cast<float>(scale)});
  Spread spread{.variance = score_variance(call, scale)};
  std::vector<double> norms;
  for (std::size_t row = 0; row < answer.weights.size(); row += kv_len) {
    spread.entropy += entropy_of(answer.weights.data() + row) / (heads * q_len);
    norms.push_back(jacobian_norm(answer.weights.data() + row));
  }
  std::nth_element(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2), norms.end());
  spread.jacobian = norms[norms.size() / 2];
  return spread;
}

}  // namespace

Experiment scale_experiment() {
  Experiment found{
      .letter = 'A',
      .title = "Scale: why scores are divided by sqrt(head_dim)",
      .setting = text("q and k standard normal, %lld heads of %lld queries and %lld keys; weights by %s.\n"
                      "|J|: median over rows of the norm of diag(a) - a a^T, the gradient of softmax.",
                      static_cast<long long>(heads), static_cast<long long>(q_len), static_cast<long long>(kv_len),
                      all_ways().front().name().c_str()),
      .expected =
          "with 1/sqrt(d) the variance of a score stays within 10 % of 1 and entropy and |J| within 10 % of "
          "theirs at d = 8;\n          without, the variance is d within 10 %, entropy falls at every step, and at "
          "d = 128 |J| is below a fifth of the scaled one",
      .seen = {},
      .table = Table({"d", "variance, scaled", "entropy", "|J|", "variance, unscaled", "entropy", "|J|"})};
  const auto is_near = [](double value, double wanted) { return std::abs(value - wanted) <= 0.1 * wanted; };
  found.holds = true;
  Spread first, scaled, unscaled;
  for (const std::int64_t d : {8, 16, 32, 64, 128}) {
    const SmallCall call = normal_call(small_sizes(1, heads, q_len, kv_len, d), static_cast<std::uint64_t>(d));
    const Spread before = unscaled;
    scaled = spread_of(call, 1.0 / std::sqrt(static_cast<double>(d)));
    unscaled = spread_of(call, 1.0);
    if (d == 8) first = scaled;
    found.holds = found.holds && is_near(scaled.variance, 1.0) && is_near(scaled.entropy, first.entropy) &&
                  is_near(scaled.jacobian, first.jacobian) && is_near(unscaled.variance, static_cast<double>(d)) &&
                  (d == 8 || unscaled.entropy < before.entropy);
    found.table.add({std::to_string(d), text("%.3f", scaled.variance), text("%.3f", scaled.entropy),
                     text("%.4f", scaled.jacobian), text("%.2f", unscaled.variance), text("%.3f", unscaled.entropy),
                     text("%.4f", unscaled.jacobian)});
  }
  found.holds = found.holds && unscaled.jacobian < scaled.jacobian / 5.0;
  found.seen =
      text("at d = 128: variance %.3f scaled, %.1f not; entropy %.3f and %.3f of at most %.3f nats; |J| %.4f and %.4f",
           scaled.variance, unscaled.variance, scaled.entropy, unscaled.entropy, std::log(static_cast<double>(kv_len)),
           scaled.jacobian, unscaled.jacobian);
  return found;
}

}  // namespace heed::audit
