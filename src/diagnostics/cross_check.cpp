// SPDX-License-Identifier: Apache-2.0
// What a row's numbers may be off by, and how far they are.
#include "diagnostics/cross_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "paths/parallel_for.hpp"

namespace heed {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double eps32 = static_cast<double>(std::numeric_limits<float>::epsilon());

// Two NaN agree, and so do two equal infinities; anything else beside a NaN or infinity does not.
double error_between(double got, double wanted) {
  if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return 0.0;
  const double error = std::abs(got - wanted);
  return std::isnan(error) ? infinity : error;
}

// An infinite v under a weight that rounds to 0 is NaN on one path and infinite on another.
double out_error(double got, double wanted) {
  return !std::isfinite(got) && !std::isfinite(wanted) ? 0.0 : error_between(got, wanted);
}

// Finite numbers are not judged where the bound is NaN or infinite.
double share_of_bound(double error, double bound) {
  if (error == 0.0) return 0.0;
  if (std::isinf(error)) return infinity;
  return std::isfinite(bound) ? error / bound : 0.0;
}

bool is_hidden(const Problem& problem, std::int64_t h, std::int64_t i, std::int64_t j) {
  if (!problem.visibility.allows(0, h, i, j)) return true;
  return problem.bias && static_cast<double>(problem.bias.row(0, h, i)[j * problem.bias.strides[3]]) == -infinity;
}

// A and max|v| of error_bound().
struct RowSizes {
  double score_magnitude = 0.0;
  double max_abs_v = 0.0;
};

RowSizes sizes_of_row(const Problem& problem, std::int64_t h, std::int64_t i) {
  RowSizes sizes;
  const float* const q = problem.q.row(0, h, i);
  const auto scale = static_cast<double>(problem.scale);
  for (std::int64_t j = 0; j < problem.kv_len; ++j) {
    if (is_hidden(problem, h, i, j)) continue;
    const float* const k = problem.k.row(0, 0, j);
    double dot = 0.0, magnitude = 0.0;
    for (std::int64_t c = 0; c < problem.head_dim; ++c) {
      const double product =
          static_cast<double>(q[c * problem.q.strides[3]]) * static_cast<double>(k[c * problem.k.strides[3]]);
      dot += product;
      magnitude += std::abs(product);
    }
    magnitude *= std::abs(scale);
    if (problem.soft_cap == 0.0f && scale * dot == -infinity) continue;  // counts as hidden
    if (problem.bias)
      magnitude += std::abs(static_cast<double>(problem.bias.row(0, h, i)[j * problem.bias.strides[3]]));
    if (problem.slopes != nullptr) {
      const auto p = static_cast<double>(problem.visibility.position(0, i));
      magnitude += std::abs(static_cast<double>(problem.slopes[h]) * (p - static_cast<double>(j)));
    }
    if (magnitude > sizes.score_magnitude || std::isnan(magnitude)) sizes.score_magnitude = magnitude;
    const float* const v = problem.v.row(0, 0, j);
    for (std::int64_t c = 0; c < problem.value_dim; ++c) {
      const double size = std::abs(static_cast<double>(v[c * problem.v.strides[3]]));
      if (size > sizes.max_abs_v && std::isfinite(size)) sizes.max_abs_v = size;
    }
  }
  return sizes;
}

Path least_exact(const AnswerView& a, const AnswerView& b) {
  return a.path == Path::onednn || b.path == Path::onednn ? Path::onednn : Path::streaming;
}

class RowComparison {
 public:
  RowComparison(const Problem& problem, const Dims& first, const AnswerView& got, const AnswerView& wanted)
      : problem_(problem), first_(first), got_(got), wanted_(wanted), path_(least_exact(got, wanted)) {}

  void add(std::int64_t h, std::int64_t i, Tallies& tallies) const {
    const RowSizes sizes = sizes_of_row(problem_, h, i);
    if (std::isfinite(sizes.score_magnitude)) {
      tallies.score_magnitude = std::max(tallies.score_magnitude, sizes.score_magnitude);
      tallies.max_abs_v = std::max(tallies.max_abs_v, sizes.max_abs_v);
    }
    tallies.path = path_;
    if (got_.out) add_out(h, i, sizes, tallies.out);
    if (got_.lse) add_lse(h, i, sizes, tallies.lse);
    if (got_.weights && problem_.kv_len > 0) add_weights(h, i, sizes, tallies);
  }

 private:
  Dims place(std::int64_t h, std::int64_t i, std::int64_t last) const {
    return {first_[0], first_[1] + h, first_[2] + i, last};
  }

  static void add(Tally& tally, const Dims& place, double got, double wanted, double bound) {
    tally.add(place, got, wanted, error_between(got, wanted), bound);
  }

  void add_out(std::int64_t h, std::int64_t i, const RowSizes& sizes, Tally& tally) const {
    const double smallest = static_cast<double>(std::numeric_limits<float>::denorm_min());
    const double bound = error_bound(sizes.score_magnitude, sizes.max_abs_v, path_) + smallest;
    for (std::int64_t c = 0; c < problem_.value_dim; ++c) {
      const auto got = static_cast<double>(got_.out.row(0, h, i)[c * got_.out.strides[3]]);
      const auto wanted = static_cast<double>(wanted_.out.row(0, h, i)[c * wanted_.out.strides[3]]);
      tally.add(place(h, i, c), got, wanted, out_error(got, wanted), bound);
    }
  }

  void add_lse(std::int64_t h, std::int64_t i, const RowSizes& sizes, Tally& tally) const {
    const auto wanted = static_cast<double>(*wanted_.lse.row(0, h, i));
    const double rounding = std::isfinite(wanted) ? eps32 * std::abs(wanted) : 0.0;
    add(tally, place(h, i, 0), static_cast<double>(*got_.lse.row(0, h, i)), wanted,
        error_bound(sizes.score_magnitude, 1.0, path_) + rounding);
  }

  void add_weights(std::int64_t h, std::int64_t i, const RowSizes& sizes, Tallies& tallies) const {
    constexpr double least_bound = 2.0 * static_cast<double>(std::numeric_limits<float>::min());
    double got_sum = 0.0, wanted_sum = 0.0;
    for (std::int64_t j = 0; j < problem_.kv_len; ++j) {
      const auto got = static_cast<double>(got_.weights.row(0, h, i)[j * got_.weights.strides[3]]);
      const auto wanted = static_cast<double>(wanted_.weights.row(0, h, i)[j * wanted_.weights.strides[3]]);
      if (is_hidden(problem_, h, i, j)) add(tallies.hidden_weight, place(h, i, j), got, 0.0, 0.0);
      add(tallies.weights, place(h, i, j), got, wanted,
          std::max(error_bound(sizes.score_magnitude, wanted, path_), least_bound));
      got_sum += got;
      wanted_sum += wanted;
    }
    add(tallies.row_sum, place(h, i, 0), got_sum, wanted_sum, sum_bound(sizes));
  }

  // A sink's share of the row has an error of its own.
  double sum_bound(const RowSizes& sizes) const {
    if (!std::isfinite(sizes.score_magnitude)) return infinity;
    return 1e-6 + (problem_.sinks != nullptr ? error_bound(sizes.score_magnitude, 1.0, path_) : 0.0);
  }

  const Problem& problem_;
  const Dims first_;
  const AnswerView& got_;
  const AnswerView& wanted_;
  const Path path_;  // whose bound holds
};

// Rows are counted in chunks whose number does not depend on the threads: sums of errors come out the same.
struct Run {
  const RowComparison& comparison;
  std::int64_t rows, q_len, chunk_rows;
  std::vector<Tallies>& chunks;
};

void compare_chunks(const void* context, std::int64_t begin, std::int64_t end, int) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  for (std::int64_t chunk = begin; chunk < end; ++chunk) {
    const std::int64_t last = std::min(run.rows, (chunk + 1) * run.chunk_rows);
    for (std::int64_t row = chunk * run.chunk_rows; row < last; ++row)
      run.comparison.add(row / run.q_len, row % run.q_len, run.chunks[static_cast<std::size_t>(chunk)]);
  }
}

QuantityCheck judge(const char* name, const Tally& tally, bool is_given) {
  QuantityCheck check;
  check.name = name;
  if (!is_given) return check;
  check.verdict = tally.share <= 1.0 ? Verdict::pass : Verdict::fail;
  check.count = tally.count;
  check.max_error = tally.max_error;
  check.mean_error = tally.count > 0 ? tally.sum / static_cast<double>(tally.count) : 0.0;
  check.bound_share = tally.share;
  check.worst = tally.worst;
  check.got = tally.got;
  check.wanted = tally.wanted;
  check.bound = tally.bound;
  return check;
}

}  // namespace

void Tally::add(const Dims& place, double got_here, double wanted_here, double error_here, double bound_here) {
  Tally one{1,        error_here,  error_here, share_of_bound(error_here, bound_here), error_here, place,
            got_here, wanted_here, bound_here};
  add(one);
}

void Tally::add(const Tally& later) {
  if (later.count == 0) return;
  if (count == 0 || later.share > share || (later.share == share && later.error > error)) {
    share = later.share, error = later.error, worst = later.worst;
    got = later.got, wanted = later.wanted, bound = later.bound;
  }
  count += later.count;
  sum += later.sum;
  max_error = std::max(max_error, later.max_error);
}

void Tallies::add(const Tallies& later) {
  out.add(later.out);
  lse.add(later.lse);
  weights.add(later.weights);
  row_sum.add(later.row_sum);
  hidden_weight.add(later.hidden_weight);
  if (later.path == Path::onednn) path = later.path;
  score_magnitude = std::max(score_magnitude, later.score_magnitude);
  max_abs_v = std::max(max_abs_v, later.max_abs_v);
}

Tallies compare(const Problem& problem, const Dims& first, const AnswerView& got, const AnswerView& wanted,
                int threads) {
  constexpr std::int64_t least_rows = 16, most_chunks = 1024;
  const std::int64_t rows = problem.group * problem.q_len;
  const std::int64_t chunk_rows = std::max(least_rows, (rows + most_chunks - 1) / most_chunks);
  std::vector<Tallies> chunks(static_cast<std::size_t>((rows + chunk_rows - 1) / chunk_rows));
  const RowComparison comparison(problem, first, got, wanted);
  const Run run{comparison, rows, problem.q_len, chunk_rows, chunks};
  parallel_for(static_cast<std::int64_t>(chunks.size()), 1, threads > 0 ? threads : caller_threads(), compare_chunks,
               &run);
  Tallies all;
  for (const Tallies& chunk : chunks) all.add(chunk);
  return all;
}

CrossCheckReport judge(const Tallies& tallies, Given given) {
  CrossCheckReport report;
  report.out = judge("out", tallies.out, true);
  report.lse = judge("lse", tallies.lse, given.lse);
  report.weights = judge("weights", tallies.weights, given.weights);
  report.row_sum = judge("row sum", tallies.row_sum, given.weights);
  report.hidden_weight = judge("hidden weight", tallies.hidden_weight, given.weights);
  report.verdict = Verdict::pass;
  for (const QuantityCheck* check : {&report.out, &report.lse, &report.weights, &report.row_sum, &report.hidden_weight})
    if (check->verdict == Verdict::fail) report.verdict = Verdict::fail;
  report.score_magnitude = tallies.score_magnitude;
  report.max_abs_v = tallies.max_abs_v;
  report.bound = error_bound(tallies.score_magnitude, tallies.max_abs_v, tallies.path);
  return report;
}

}  // namespace heed
