// SPDX-License-Identifier: Apache-2.0
// Plain loops over the cells of a row. The rules are applied cell by cell, by their definition.
#include "paths/score_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

std::int64_t cell_count(const ScoreRow& row) { return row.keys.end - row.keys.begin; }

// NaN is passed over. In 16 strands, which compilers turn into vectors.
ScoreRange range_of(const float* cells, std::int64_t count) {
  constexpr std::int64_t strands = 16;
  float smallest[strands], largest[strands];
  std::fill_n(smallest, strands, -minus_infinity);
  std::fill_n(largest, strands, minus_infinity);
  const auto add = [&](std::int64_t strand, float cell) {
    smallest[strand] = cell < smallest[strand] ? cell : smallest[strand];
    largest[strand] = cell > largest[strand] ? cell : largest[strand];
  };
  std::int64_t j = 0;
  for (; j + strands <= count; j += strands)
    for (std::int64_t s = 0; s < strands; ++s) add(s, cells[j + s]);
  for (; j < count; ++j) add(0, cells[j]);
  return {*std::min_element(smallest, smallest + strands), *std::max_element(largest, largest + strands)};
}

void cap_scores(const Problem& problem, const ScoreRow& row) {
  for (std::int64_t n = 0; n < cell_count(row); ++n)
    row.cells[n] = problem.soft_cap * std::tanh(row.cells[n] / problem.soft_cap);
}

// A bias of minus infinity hides its key, even where the score is NaN.
void add_bias(const Problem& problem, const ScoreRow& row) {
  const std::int64_t step = problem.bias.strides[3];
  const float* bias = problem.bias.row(row.batch, row.head, row.token) + row.keys.begin * step;
  for (std::int64_t n = 0; n < cell_count(row); ++n) {
    const float term = bias[n * step];
    row.cells[n] = term == minus_infinity ? minus_infinity : row.cells[n] + term;
  }
}

void add_slopes(const Problem& problem, const ScoreRow& row) {
  const auto position = static_cast<double>(problem.visibility.position(row.batch, row.token));
  const auto slope = static_cast<double>(problem.slopes[row.head]);
  for (std::int64_t n = 0; n < cell_count(row); ++n) {
    const double distance = std::abs(position - static_cast<double>(row.keys.begin + n));
    row.cells[n] = static_cast<float>(static_cast<double>(row.cells[n]) - slope * distance);
  }
}

// 16 strands of float over 1024 cells at a time, then double.
double sum_of(const float* cells, std::int64_t count) {
  constexpr std::int64_t strands = 16, piece = 1024;
  double sum = 0.0;
  for (std::int64_t first = 0; first < count; first += piece) {
    const std::int64_t end = std::min(count, first + piece);
    float strand[strands] = {};
    std::int64_t j = first;
    for (; j + strands <= end; j += strands)
      for (std::int64_t s = 0; s < strands; ++s) strand[s] += cells[j + s];
    for (; j < end; ++j) strand[0] += cells[j];
    for (const float part : strand) sum += static_cast<double>(part);
  }
  return sum;
}

// oneDNN adds up a row's weights in as many strands of float as its vectors have lanes: with SSE 4.1 rows of
// 4096 keys were off by 7e-7, of 8192 by 2e-6.
void normalise_long_row(const ScoreRow& row) {
  constexpr std::int64_t longest_right = 2048;
  const std::int64_t count = cell_count(row);
  if (count <= longest_right) return;
  const auto factor = static_cast<float>(1.0 / sum_of(row.cells, count));
  for (std::int64_t n = 0; n < count; ++n) row.cells[n] *= factor;
}

void write_weights(const Problem& problem, const ScoreRow& row) {
  float* const weights = problem.weights.row(row.batch, row.head, row.token);
  const std::int64_t step = problem.weights.strides[3];
  for (std::int64_t j = 0; j < row.keys.begin; ++j) weights[j * step] = 0.0f;
  for (std::int64_t j = row.keys.begin; j < row.keys.end; ++j) weights[j * step] = row.cells[j - row.keys.begin];
  for (std::int64_t j = row.keys.end; j < problem.kv_len; ++j) weights[j * step] = 0.0f;
}

}  // namespace

HiddenCells::HiddenCells(const Problem& problem)
    : problem_(problem),
      has_rules_(problem.visibility.has_row_spans() || problem.visibility.lengths != nullptr ||
                 problem.visibility.key_mask != nullptr || problem.visibility.mask != nullptr),
      depend_on_head_(problem.visibility.mask_strides[1] != 0),
      depend_on_token_(problem.visibility.has_row_spans() || problem.visibility.mask_strides[2] != 0) {}

void HiddenCells::apply(const ScoreRow& row) {
  if (!has_rules_) return;
  const std::int64_t count = cell_count(row);
  const bool differs = !is_known_ || row.batch != batch_ || (depend_on_head_ && row.head != head_) ||
                       (depend_on_token_ && row.token != token_);
  if (differs) {
    is_hidden_.resize(static_cast<std::size_t>(count));
    const Visibility rules = problem_.visibility;  // a copy: a char written through a pointer could change the original
    for (std::int64_t n = 0; n < count; ++n)
      is_hidden_[static_cast<std::size_t>(n)] =
          rules.allows(row.batch, row.head, row.token, row.keys.begin + n) ? 0 : 1;
    is_known_ = true;
    batch_ = row.batch, head_ = row.head, token_ = row.token;
  }
  for (std::int64_t n = 0; n < count; ++n)
    row.cells[n] = is_hidden_[static_cast<std::size_t>(n)] != 0 ? minus_infinity : row.cells[n];
}

ScoreRange edit_scores(const Problem& problem, const ScoreRow& row, HiddenCells& hidden) {
  if (problem.soft_cap > 0.0f) cap_scores(problem, row);
  if (problem.bias) add_bias(problem, row);
  if (problem.slopes != nullptr) add_slopes(problem, row);
  hidden.apply(row);
  const std::int64_t count = cell_count(row);
  ScoreRange range = range_of(row.cells, count);
  const auto is_nan = [](float cell) { return std::isnan(cell); };
  if (range.largest == minus_infinity && std::any_of(row.cells, row.cells + count, is_nan))
    range.largest = std::numeric_limits<float>::quiet_NaN();
  return range;
}

void find_faint_keys(const ScoreRow& row, std::int64_t number, ScoreRange range, std::vector<FaintKey>& faint) {
  constexpr float nearest = -86.6f, furthest = -87.4f;  // ln 2^-125 = -86.64, ln 2^-126 = -87.34
  if (!(range.smallest - range.largest < nearest)) return;
  const auto is_faint = [&](float cell) {
    return (cell - range.largest < nearest) & (cell - range.largest > furthest);
  };
  const std::int64_t count = cell_count(row);
  int found = 0;
  for (std::int64_t n = 0; n < count; ++n) found |= is_faint(row.cells[n]);
  if (found == 0) return;
  for (std::int64_t n = 0; n < count; ++n)
    if (is_faint(row.cells[n])) faint.push_back({number, n, std::exp(row.cells[n] - range.largest)});
}

void restore(const ScoreRow& row, const FaintKey& key) {
  row.cells[key.cell] = key.share * range_of(row.cells, cell_count(row)).largest;
}

bool finish_row(const Problem& problem, const ScoreRow& row, float largest) {
  const std::int64_t count = cell_count(row);
  const bool sees_nothing = largest == minus_infinity;
  const float sink = problem.sinks != nullptr ? problem.sinks[row.head] : minus_infinity;
  float lse = sink;
  if (!sees_nothing) normalise_long_row(row);
  if (sees_nothing) {
    std::fill_n(row.cells, count, 0.0f);
  } else if (problem.lse || sink != minus_infinity) {
    // The largest weight is exp(largest - own).
    const double own = static_cast<double>(largest) - std::log(static_cast<double>(range_of(row.cells, count).largest));
    double total = own;
    if (sink != minus_infinity) {
      const auto other = static_cast<double>(sink);
      total = std::max(own, other) + std::log1p(std::exp(-std::abs(own - other)));
      const auto share = static_cast<float>(std::exp(own - total));
      for (std::int64_t n = 0; n < count; ++n) row.cells[n] *= share;
    }
    lse = static_cast<float>(total);
  }
  if (problem.lse) *problem.lse.row(row.batch, row.head, row.token) = lse;
  if (problem.weights) write_weights(problem, row);
  return sees_nothing || !std::isnan(lse);
}

bool sees_bad_numbers(const ScoreRow& row, const char* is_bad_value) {
  for (std::int64_t n = 0; n < cell_count(row); ++n)
    if (row.cells[n] != minus_infinity && (is_bad_value[n] != 0 || !std::isfinite(row.cells[n]))) return true;
  return false;
}

void attend_with_care(const Problem& problem, const ScoreRow& row) {
  const std::int64_t count = cell_count(row);
  const double sink = problem.sinks != nullptr ? static_cast<double>(problem.sinks[row.head]) : -HUGE_VAL;
  double largest = sink;
  for (std::int64_t n = 0; n < count; ++n) {
    const auto score = static_cast<double>(row.cells[n]);
    if (score > largest || std::isnan(score)) largest = score;
  }
  const bool sees_nothing = largest == -HUGE_VAL;
  double sum = sink == -HUGE_VAL ? 0.0 : std::exp(sink - largest);
  for (std::int64_t n = 0; n < count; ++n)
    if (row.cells[n] != minus_infinity) sum += std::exp(static_cast<double>(row.cells[n]) - largest);

  // A visible key of weight 0 multiplies its value, as in the reference; a hidden one doesn't.
  constexpr float hidden = -1.0f;
  for (std::int64_t n = 0; n < count; ++n) {
    const bool is_hidden = row.cells[n] == minus_infinity;
    row.cells[n] = is_hidden ? hidden : static_cast<float>(std::exp(static_cast<double>(row.cells[n]) - largest));
  }
  const View<const float>& v = problem.v;
  float* const out = problem.out.row(row.batch, row.head, row.token);
  for (std::int64_t c = 0; c < problem.value_dim; ++c) {
    double total = 0.0;
    for (std::int64_t n = 0; n < count; ++n) {
      if (row.cells[n] == hidden) continue;
      const float* const value = v.row(row.batch, problem.kv_head(row.head), row.keys.begin + n) + c * v.strides[3];
      total += static_cast<double>(row.cells[n]) * static_cast<double>(*value);
    }
    out[c * problem.out.strides[3]] = sees_nothing ? 0.0f : static_cast<float>(total / sum);
  }
  for (std::int64_t n = 0; n < count; ++n)
    row.cells[n] = row.cells[n] == hidden ? 0.0f : static_cast<float>(static_cast<double>(row.cells[n]) / sum);
  if (problem.lse)
    *problem.lse.row(row.batch, row.head, row.token) =
        static_cast<float>(sees_nothing ? -HUGE_VAL : largest + std::log(sum));
  if (problem.weights) write_weights(problem, row);
}

}  // namespace heed
