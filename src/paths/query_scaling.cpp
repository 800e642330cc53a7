// SPDX-License-Identifier: Apache-2.0
// Factors are computed in double and rounded once: they multiply every score of a row.
#include "paths/query_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "paths/parallel_for.hpp"
#include "paths/scratch.hpp"

namespace heed {
namespace {

double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

double log_count(const Scaling& scaling, std::int64_t batch, std::int64_t row) {
  return std::log(static_cast<double>(std::max<std::int64_t>(scaling.count(batch, row), 1)));
}

// Calls store(o, y) with outputs [first, first + count) of an MLP, a few at a time: no more than these are held.
template <class Input, class Store>
void apply(const Mlp& mlp, std::int64_t inputs, Input input, std::int64_t first, std::int64_t count, Store store) {
  constexpr std::int64_t most = 64;
  for (std::int64_t begin = 0; begin < count; begin += most) {
    const std::int64_t outputs = std::min(most, count - begin);
    const std::int64_t offset = first + begin;
    double sums[most];
    for (std::int64_t o = 0; o < outputs; ++o) sums[o] = static_cast<double>(mlp.b2[offset + o]);
    for (std::int64_t j = 0; j < mlp.hidden; ++j) {
      double sum = static_cast<double>(mlp.b1[j]);
      for (std::int64_t c = 0; c < inputs; ++c) sum += static_cast<double>(mlp.w1[j * inputs + c]) * input(c);
      const double active = gelu(sum);
      for (std::int64_t o = 0; o < outputs; ++o)
        sums[o] += active * static_cast<double>(mlp.w2[(offset + o) * mlp.hidden + j]);
    }
    for (std::int64_t o = 0; o < outputs; ++o) store(begin + o, sums[o]);
  }
}

// Calls store(c, factor) with the width() factors of a head.
template <class Store>
void make_factors(const Scaling& scaling, double log_n, std::int64_t head, Store store) {
  if (scaling.base.outputs == 0) return store(0, static_cast<double>(scaling.factors[head]) * log_n);
  const std::int64_t width = scaling.width();
  apply(
      scaling.base, 1, [&](std::int64_t) { return log_n; }, head * width, width, store);
}

void write_factors(const Scaling& scaling, double log_n, std::int64_t head, float* to) {
  make_factors(scaling, log_n, head, [&](std::int64_t c, double factor) { to[c] = static_cast<float>(factor); });
}

}  // namespace

void fill_factor_tables(const Scaling& scaling, float* tables) {
  const std::int64_t width = scaling.width();
  const std::int64_t size = scaling.heads * width;
  for (std::int64_t t = 0; t < scaling.tables(); ++t) {
    float* const table = tables + t * size;
    if (t > 0 && scaling.count(t, 0) == scaling.count(t - 1, 0)) {
      std::copy_n(table - size, size, table);
      continue;
    }
    for (std::int64_t h = 0; h < scaling.heads; ++h)
      write_factors(scaling, log_count(scaling, t, 0), h, table + h * width);
  }
}

QueryScaler::QueryScaler(const Scaling& scaling, const KernelTable& kernels, const float* tables, float* scratch,
                         std::int64_t q_channel, std::int64_t out_channel)
    : scaling_(scaling),
      kernels_(kernels),
      tables_(tables),
      row_factors_(scratch + scaler_floats(scaling, kernels.max_rows) -
                   (scaling.row_step != 0 ? kernels.max_rows * static_cast<std::size_t>(scaling.width()) : 0)),
      job_{} {
  const Mlp& gate = scaling.gate;
  job_.rows = rows_.data();
  job_.q_channel = q_channel;
  job_.factor_channel = scaling.has_channel_factors() ? 1 : 0;
  job_.out_channel = out_channel;
  job_.head_dim = static_cast<std::size_t>(scaling.head_dim);
  job_.hidden = static_cast<std::size_t>(gate.hidden);
  job_.gates = static_cast<std::size_t>(gate.outputs);
  job_.w1 = gate.w1;
  job_.b1 = gate.b1;
  job_.w2 = gate.w2;
  job_.b2 = gate.b2;
  job_.chain = 16;  // as long as those of a score of few keys
  job_.scratch = scratch;
}

const float* QueryScaler::factors_of(std::int64_t batch, std::int64_t head, std::int64_t row) {
  const std::int64_t width = scaling_.width();
  if (scaling_.row_step == 0) return tables_ + ((scaling_.batch_step == 0 ? 0 : batch) * scaling_.heads + head) * width;
  float* const factors = row_factors_ + static_cast<std::int64_t>(job_.row_count) * width;
  write_factors(scaling_, log_count(scaling_, batch, row), head, factors);
  return factors;
}

void QueryScaler::add(std::int64_t batch, std::int64_t head, std::int64_t row, const float* q, float* out) {
  rows_[job_.row_count] = {q, factors_of(batch, head, row), out};
  if (++job_.row_count == kernels_.max_rows) finish();
}

void QueryScaler::finish() {
  if (job_.row_count > 0) kernels_.scale_queries(job_);
  job_.row_count = 0;
}

namespace {

// Rows in the order of batch, head, row.
void scale_rows(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const ScalingRun& run = *static_cast<const ScalingRun*>(context);
  const Scaling& scaling = run.scaling;
  auto* const scratch = reinterpret_cast<float*>(run.scratch + static_cast<std::size_t>(thread) * run.thread_bytes);
  QueryScaler scaler(scaling, run.kernels, run.tables, scratch, run.q.strides[3], run.out.strides[3]);
  for (std::int64_t index = begin; index < end; ++index) {
    const std::int64_t row = index % scaling.rows;
    const std::int64_t head = index / scaling.rows % scaling.heads;
    const std::int64_t batch = index / scaling.rows / scaling.heads;
    scaler.add(batch, head, row, run.q.row(batch, head, row), run.out.row(batch, head, row));
  }
  scaler.finish();
}

}  // namespace

void scale_all(const ScalingRun& run, int threads) {
  const std::int64_t rows = run.scaling.batch * run.scaling.heads * run.scaling.rows;
  // Whole tiles: 200 us of gates, 10 us of factors alone.
  const auto chunk = static_cast<std::int64_t>(run.kernels.max_rows) * 16;
  parallel_for(rows, chunk, rows > chunk ? threads : 1, scale_rows, &run);
}

Problem scale_all(const Plan& plan, const Problem& problem, std::byte* scratch) {
  if (!problem.scaling.is_given) return problem;
  auto* const tables = static_cast<float*>(thread_scratch(plan, scratch, plan.threads));
  float* const scaled = tables + plan.table_floats;
  fill_factor_tables(problem.scaling, tables);
  const Problem result = with_scaled_query(problem, scaled);
  auto* const threads = static_cast<std::byte*>(thread_scratch(plan, scratch, 0));
  scale_all({problem.scaling,
             *plan.kernels,
             problem.q,
             {scaled, result.q.strides},
             tables,
             threads,
             plan.scratch_bytes_per_thread},
            plan.threads);
  return result;
}

void scale_row(const Scaling& scaling, std::int64_t batch, std::int64_t head, std::int64_t row, const float* q,
               std::int64_t q_channel, double* out) {
  const auto channel = [&](std::int64_t c) { return static_cast<double>(q[c * q_channel]); };
  const bool has_channels = scaling.has_channel_factors();
  make_factors(scaling, log_count(scaling, batch, row), head, [&](std::int64_t c, double factor) {
    const std::int64_t end = has_channels ? c + 1 : scaling.head_dim;
    for (std::int64_t i = c; i < end; ++i) out[i] = channel(i) * factor;
  });
  if (scaling.gate.outputs == 0) return;
  apply(scaling.gate, scaling.head_dim, channel, 0, scaling.gate.outputs, [&](std::int64_t c, double sum) {
    const std::int64_t end = scaling.gate.outputs == 1 ? scaling.head_dim : c + 1;
    for (std::int64_t i = c; i < end; ++i) out[i] *= 1.0 + std::tanh(sum);
  });
}

}  // namespace heed
