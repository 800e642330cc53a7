// SPDX-License-Identifier: Apache-2.0
// The meaning of attention: plain loops in double. No cleverness, no vectors; every other path is
// tested against this one, and this one against answers computed by hand.
#include <algorithm>
#include <cmath>
#include <limits>

#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "paths/query_scaling.hpp"
#include "paths/scratch.hpp"

namespace heed {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// The query as it is multiplied, but for the scale.
void load_query(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i, double* query) {
  const float* q = problem.q.row(b, h, i);
  if (problem.scaling.is_given) return scale_row(problem.scaling, b, h, i, q, problem.q.strides[3], query);
  for (std::int64_t c = 0; c < problem.head_dim; ++c) query[c] = static_cast<double>(q[c * problem.q.strides[3]]);
}

double score(const Problem& problem, const double* query, std::int64_t b, std::int64_t h, std::int64_t i,
             std::int64_t j) {
  const float* k = problem.k.row(b, problem.kv_head(h), j);
  double dot = 0.0;
  for (std::int64_t c = 0; c < problem.head_dim; ++c)
    dot += query[c] * static_cast<double>(k[c * problem.k.strides[3]]);
  double score = static_cast<double>(problem.scale) * dot;
  const double cap = static_cast<double>(problem.soft_cap);
  if (cap > 0.0) score = cap * std::tanh(score / cap);
  if (problem.bias) score += static_cast<double>(problem.bias.row(b, h, i)[j * problem.bias.strides[3]]);
  if (problem.slopes != nullptr) {
    const double distance = std::abs(static_cast<double>(problem.visibility.position(b, i)) - static_cast<double>(j));
    score -= static_cast<double>(problem.slopes[h]) * distance;
  }
  return score;
}

// A bias of minus infinity hides its key even where K holds NaN.
bool is_hidden_by_bias(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  if (!problem.bias) return false;
  return static_cast<double>(problem.bias.row(b, h, i)[j * problem.bias.strides[3]]) == minus_infinity;
}

// One query row: scores, their maximum, weights and their sum, the weighted values.
void attend_row(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i, double* scores, double* out,
                double* query) {
  load_query(problem, b, h, i, query);
  const double sink = problem.sinks != nullptr ? static_cast<double>(problem.sinks[h]) : minus_infinity;
  double row_max = sink;
  for (std::int64_t j = 0; j < problem.kv_len; ++j) {
    const bool is_visible = problem.visibility.allows(b, h, i, j) && !is_hidden_by_bias(problem, b, h, i, j);
    scores[j] = is_visible ? score(problem, query, b, h, i, j) : minus_infinity;
    if (scores[j] > row_max || std::isnan(scores[j])) row_max = scores[j];
  }

  // A row of minus infinities sees nothing: every weight is 0, and so is the sum.
  const auto weight_of = [row_max](double s) { return s == minus_infinity ? 0.0 : std::exp(s - row_max); };
  double row_sum = weight_of(sink);
  std::fill_n(out, problem.value_dim, 0.0);
  for (std::int64_t j = 0; j < problem.kv_len; ++j) {
    if (scores[j] == minus_infinity) continue;
    const double weight = weight_of(scores[j]);
    row_sum += weight;
    if (problem.has_classes) {
      out[problem.classes_of(b)[j * problem.class_key]] += weight;
      continue;
    }
    const float* v = problem.v.row(b, problem.kv_head(h), j);
    for (std::int64_t c = 0; c < problem.value_dim; ++c)
      out[c] += weight * static_cast<double>(v[c * problem.v.strides[3]]);
  }

  const bool sees_nothing = row_max == minus_infinity;
  float* out_row = problem.out.row(b, h, i);
  for (std::int64_t c = 0; c < problem.value_dim; ++c)
    out_row[c * problem.out.strides[3]] = sees_nothing ? 0.0f : static_cast<float>(out[c] / row_sum);
  if (problem.lse)
    *problem.lse.row(b, h, i) = static_cast<float>(sees_nothing ? minus_infinity : row_max + std::log(row_sum));
  if (problem.weights)
    for (std::int64_t j = 0; j < problem.kv_len; ++j)
      problem.weights.row(b, h, i)[j * problem.weights.strides[3]] =
          scores[j] == minus_infinity ? 0.0f : static_cast<float>(weight_of(scores[j]) / row_sum);
}

struct Run {
  const Plan& plan;
  const Problem& problem;
  std::byte* scratch;
};

void attend_rows(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const auto& [plan, problem, scratch] = *static_cast<const Run*>(context);
  auto* scores = static_cast<double*>(thread_scratch(plan, scratch, thread));
  double* const out = scores + problem.kv_len;
  double* const query = out + problem.value_dim;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t i = row % problem.q_len;
    const std::int64_t head = row / problem.q_len;
    attend_row(problem, head / problem.q_heads, head % problem.q_heads, i, scores, out, query);
  }
}

}  // namespace

Status run_reference(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept {
  const Run run{plan, problem, scratch.data()};
  parallel_for(plan.items, plan.items_per_chunk, plan.threads, attend_rows, &run);
  return {};
}

}  // namespace heed
