// SPDX-License-Identifier: Apache-2.0
// One row is a call of its own: the same tensors from another start, with the row's own position.
#include "answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "cost.hpp"

namespace heed::perf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const float* element(const ConstTensor& tensor, const Dims& place) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < 4; ++d) offset += tensor.shape[d] == 1 ? 0 : place[d] * tensor.strides[d];
  return static_cast<const float*>(tensor.data) + offset;
}

// A part of a tensor: one batch item and head, `tokens` tokens from token n on.
ConstTensor part(const ConstTensor& tensor, std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t tokens) {
  const float* first = tensor.data == nullptr ? nullptr : element(tensor, {b, h, n, 0});
  return {first, {1, 1, tokens, tensor.shape[3]}, tensor.strides, tensor.dtype};
}

Options options_of_row(const Workload& workload, const AnswerRow& row) {
  Options options = workload.options;
  options.lse.reset();
  options.weights.reset();
  options.path = Path::reference;
  options.threads = 1;
  options.position = Position::offset(position_of(workload, row.b, row.i));
  const auto b = static_cast<std::size_t>(row.b);
  const auto h = static_cast<std::size_t>(row.h);
  if (!options.slopes.empty()) options.slopes = options.slopes.subspan(h, 1);
  if (!options.sinks.empty()) options.sinks = options.sinks.subspan(h, 1);
  if (!options.lengths.empty()) options.lengths = options.lengths.subspan(b, 1);
  if (options.bias) options.bias = part(*options.bias, row.b, row.h, row.i, 1);
  if (options.key_mask) {
    KeyMask& mask = *options.key_mask;
    if (mask.shape[0] != 1) mask.data += row.b * mask.strides[0];
    mask.shape[0] = 1;
  }
  if (options.mask) {
    Mask& mask = *options.mask;
    const Dims place = {row.b, row.h, row.i, 0};
    for (std::size_t d = 0; d < 3; ++d) {
      if (mask.shape[d] != 1) mask.data += place[d] * mask.strides[d];
      mask.shape[d] = 1;
    }
  }
  return options;
}

// A and max|v| of the error bound, over the keys that the row sees.
void measure_bound(const Workload& workload, AnswerRow& row) {
  const Spec& spec = workload.spec;
  const Options& options = workload.options;
  const std::int64_t kv_head = row.h / (spec.q_heads / spec.kv_heads);
  const double scale = spec.scale ? *spec.scale : 1.0 / std::sqrt(static_cast<double>(spec.head_dim));
  const auto p = static_cast<double>(position_of(workload, row.b, row.i));
  const std::int64_t q_step = workload.q.strides[3], k_step = workload.k.strides[3], v_step = workload.v.strides[3];
  for (std::int64_t j = 0; j < spec.kv_len; ++j) {
    if (!is_visible(workload, row.b, row.h, row.i, j)) continue;
    double magnitude = 0.0;
    if (spec.head_dim > 0) {
      const float* q = element(workload.q, {row.b, row.h, row.i, 0});
      const float* k = element(workload.k, {row.b, kv_head, j, 0});
      for (std::int64_t c = 0; c < spec.head_dim; ++c)
        magnitude += std::abs(static_cast<double>(q[c * q_step]) * static_cast<double>(k[c * k_step]));
    }
    magnitude *= std::abs(scale);
    if (options.bias) magnitude += std::abs(static_cast<double>(*element(*options.bias, {row.b, row.h, row.i, j})));
    if (!options.slopes.empty()) {
      const auto slope = static_cast<double>(options.slopes[static_cast<std::size_t>(row.h)]);
      magnitude += std::abs(slope * (p - static_cast<double>(j)));
    }
    row.score_magnitude = std::max(row.score_magnitude, magnitude);
    if (spec.value_dim == 0) continue;
    const float* v = element(workload.v, {row.b, kv_head, j, 0});
    for (std::int64_t c = 0; c < spec.value_dim; ++c)
      row.max_abs_v = std::max(row.max_abs_v, std::abs(static_cast<double>(v[c * v_step])));
  }
}

Status answer_row(const Workload& workload, AnswerRow& row) {
  const Spec& spec = workload.spec;
  const std::int64_t kv_head = row.h / (spec.q_heads / spec.kv_heads);
  row.out.resize(static_cast<std::size_t>(spec.value_dim));
  Options options = options_of_row(workload, row);
  options.lse = bhnd(&row.lse, 1, 1, 1, 1);
  const ConstTensor q = part(workload.q, row.b, row.h, row.i, 1);
  const ConstTensor k = part(workload.k, row.b, kv_head, 0, spec.kv_len);
  const ConstTensor v = part(workload.v, row.b, kv_head, 0, spec.kv_len);
  const Status status = attention(q, k, v, bhnd(row.out.data(), 1, 1, 1, spec.value_dim), options);
  if (status.ok()) measure_bound(workload, row);
  return status;
}

double error_between(float got, float wanted) {
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) && std::isnan(wanted) ? 0.0 : infinity;
  if (got == wanted) return 0.0;  // equal infinities too
  return std::abs(static_cast<double>(got) - static_cast<double>(wanted));
}

// The whole call, unrun: what is wrong with it is reported as the library says it.
Status check(const Workload& workload) {
  std::size_t bytes = 0;
  Options options = workload.options;
  options.path = Path::reference;
  return scratch_size(workload.q, workload.k, workload.v, workload.out, options, bytes);
}

}  // namespace

std::int64_t affordable_rows(const Workload& workload, double multiply_adds) {
  const Spec& spec = workload.spec;
  constexpr double exp_cost = 20.0;  // of one key, in multiply-adds
  const double per_key = static_cast<double>(spec.head_dim) + static_cast<double>(spec.value_dim) + exp_cost;
  const double per_row = (static_cast<double>(spec.kv_len) + 1.0) * per_key;
  return std::max<std::int64_t>(8, static_cast<std::int64_t>(std::min(multiply_adds / per_row, 1e12)));
}

Status reference_answer(const Workload& workload, std::int64_t max_rows, std::uint64_t seed, Answer& answer) {
  const Spec& spec = workload.spec;
  answer = Answer{};
  if (Status status = check(workload); !status.ok()) return status;
  const std::int64_t rows = spec.batch * spec.q_heads * spec.q_len;
  answer.is_sample = rows > max_rows;
  std::set<std::int64_t> chosen;
  if (answer.is_sample) {
    chosen = {0, rows - 1};
    std::mt19937_64 random(seed);
    while (std::ssize(chosen) < std::max<std::int64_t>(max_rows, 2))
      chosen.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  } else {
    for (std::int64_t row = 0; row < rows; ++row) chosen.insert(chosen.end(), row);
  }
  for (const std::int64_t index : chosen) {
    AnswerRow& row = answer.rows.emplace_back();
    row.i = index % spec.q_len;
    row.h = index / spec.q_len % spec.q_heads;
    row.b = index / spec.q_len / spec.q_heads;
    if (Status status = answer_row(workload, row); !status.ok()) return status;
  }
  return {};
}

Comparison compare(const Workload& workload, const Answer& answer, Path path) {
  Comparison comparison;
  for (const AnswerRow& row : answer.rows) {
    const double bound = error_bound(row.score_magnitude, row.max_abs_v, path);
    for (std::size_t c = 0; c < row.out.size(); ++c) {
      const auto channel = static_cast<std::int64_t>(c);
      const double error = error_between(*element(workload.out, {row.b, row.h, row.i, channel}), row.out[c]);
      comparison.max_err = std::max(comparison.max_err, error);
      const double share = error == 0.0 ? 0.0 : bound > 0.0 ? error / bound : infinity;
      if (!(share > comparison.worst_bound_share)) continue;
      comparison.worst_bound_share = share;
      comparison.b = row.b, comparison.h = row.h, comparison.i = row.i, comparison.c = channel;
    }
    if (workload.lse.data == nullptr) continue;
    const double error = error_between(*element(workload.lse, {row.b, row.h, row.i, 0}), row.lse);
    comparison.max_lse_err = std::max(comparison.max_lse_err, error);
  }
  return comparison;
}

}  // namespace heed::perf
