// SPDX-License-Identifier: Apache-2.0
// The scalar rule of visibility and the sizes of the numbers, row by row. Threads are the standard
// library's: OpenMP belongs to the library alone.
#include "audit/row_facts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

namespace heed::audit {
namespace {

const float* row_of(const ConstTensor& tensor, std::int64_t b, std::int64_t h, std::int64_t n) {
  return static_cast<const float*>(tensor.data) + b * tensor.strides[0] + h * tensor.strides[1] + n * tensor.strides[2];
}

// Where a pairwise operand keeps the cell of a row and key: a dimension of 1 is the same for all.
std::int64_t cell_of(const Dims& shape, const Dims& strides, const RowPlace& row, std::int64_t key) {
  const Dims place{row.b, row.h, row.i, key};
  std::int64_t cell = 0;
  for (std::size_t d = 0; d < place.size(); ++d)
    if (shape[d] != 1) cell += place[d] * strides[d];
  return cell;
}

float bias_of(const ConstTensor& bias, const RowPlace& row, std::int64_t key) {
  return static_cast<const float*>(bias.data)[cell_of(bias.shape, bias.strides, row, key)];
}

double sum_of_magnitudes(const float* q, const float* k, std::int64_t head_dim) {
  double sum = 0.0;
  for (std::int64_t c = 0; c < head_dim; ++c) sum += std::abs(static_cast<double>(q[c]) * static_cast<double>(k[c]));
  return sum;
}

// Largest |v| of each key; a NaN there spoils one channel of out and says nothing about the others.
std::vector<double> max_abs_of_keys(const Call& call) {
  const Sizes& sizes = call.sizes();
  std::vector<double> largest;
  largest.reserve(static_cast<std::size_t>(sizes.batch * sizes.kv_heads * sizes.kv_len));
  for (std::int64_t b = 0; b < sizes.batch; ++b)
    for (std::int64_t h = 0; h < sizes.kv_heads; ++h)
      for (std::int64_t j = 0; j < sizes.kv_len; ++j) {
        const float* v = row_of(call.whole().v, b, h, j);
        double max_abs = 0.0;
        for (std::int64_t c = 0; c < sizes.value_dim; ++c)
          max_abs = std::fmax(max_abs, std::abs(static_cast<double>(v[c])));
        largest.push_back(max_abs);
      }
  return largest;
}

RowFacts facts_of(const Call& call, const RowPlace& row, const std::vector<double>& max_abs_of_keys) {
  const Sizes& sizes = call.sizes();
  const std::int64_t kv_head = row.h / sizes.group;
  const auto& bias = call.whole().options.bias;
  const float* q = row_of(call.whole().q, row.b, row.h, row.i);
  RowFacts facts;
  for (std::int64_t j = 0; j < sizes.kv_len; ++j) {
    if (is_hidden(call, row, j)) continue;
    ++facts.visible;
    const float* k = row_of(call.whole().k, row.b, kv_head, j);
    double magnitude = std::abs(static_cast<double>(call.scale())) * sum_of_magnitudes(q, k, sizes.head_dim);
    if (bias) magnitude += std::abs(static_cast<double>(bias_of(*bias, row, j)));
    if (magnitude > facts.magnitude || std::isnan(magnitude)) facts.magnitude = magnitude;
    const std::int64_t key = (row.b * sizes.kv_heads + kv_head) * sizes.kv_len + j;
    facts.max_abs_v = std::max(facts.max_abs_v, max_abs_of_keys[static_cast<std::size_t>(key)]);
  }
  return facts;
}

}  // namespace

bool is_hidden(const Call& call, const RowPlace& row, std::int64_t key) {
  const Options& options = call.whole().options;
  if (!options.lengths.empty() && key >= options.lengths[static_cast<std::size_t>(row.b)]) return true;
  if (const auto& keys = options.key_mask) {
    const std::int64_t cell = (keys->shape[0] == 1 ? 0 : row.b * keys->strides[0]) + key;
    if ((keys->data[cell] != 0) != keys->true_is_allowed) return true;
  }
  if (const auto& mask = options.mask)
    if ((mask->data[cell_of(mask->shape, mask->strides, row, key)] != 0) != mask->true_is_allowed) return true;
  const std::int64_t ahead = key - (row.i + call.offset());  // of the row's position
  if (options.causal && ahead > 0) return true;
  if (options.window.left >= 0 && -ahead > options.window.left) return true;
  if (options.window.right >= 0 && ahead > options.window.right) return true;
  return options.bias && bias_of(*options.bias, row, key) == -std::numeric_limits<float>::infinity();
}

bool RowFacts::has_finite_scores() const { return std::isfinite(magnitude); }

// Where values are denormal, no float32 is nearer than the smallest one.
double RowFacts::out_bound(Path path) const {
  return error_bound(magnitude, max_abs_v, path) + static_cast<double>(std::numeric_limits<float>::denorm_min());
}

double RowFacts::lse_bound(Path path) const {
  return error_bound(magnitude + std::log(static_cast<double>(std::max<std::int64_t>(visible, 1))), 1.0, path);
}

AllRowFacts::AllRowFacts(const Call& call, int threads) : sizes_(call.sizes()) {
  const std::int64_t rows = sizes_.rows();
  facts_.resize(static_cast<std::size_t>(rows));
  const std::vector<double> max_abs = max_abs_of_keys(call);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t row = next++; row < rows; row = next++) {
      const std::int64_t head = row / sizes_.q_len;
      const RowPlace place{head / sizes_.q_heads, head % sizes_.q_heads, row % sizes_.q_len};
      facts_[static_cast<std::size_t>(row)] = facts_of(call, place, max_abs);
    }
  };
  const std::int64_t wanted = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::int64_t helper = 1; helper < std::min(wanted, rows); ++helper) helpers.emplace_back(work);
  work();
}

const RowFacts& AllRowFacts::at(const RowPlace& row) const {
  return facts_[static_cast<std::size_t>((row.b * sizes_.q_heads + row.h) * sizes_.q_len + row.i)];
}

}  // namespace heed::audit
