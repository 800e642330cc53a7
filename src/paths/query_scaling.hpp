// SPDX-License-Identifier: Apache-2.0
// Query scaling of rows: their factors, and the kernel that applies them; or all of it in double.
#pragma once

#include <array>

#include "dispatch/kernel_table.hpp"
#include "plan/plan.hpp"

namespace heed {

// The tables of a call [tables()][heads][width].
void fill_factor_tables(const Scaling& scaling, float* tables);

// A call that scales all of q.
struct ScalingRun {
  const Scaling& scaling;
  const KernelTable& kernels;
  View<const float> q;
  View<float> out;
  const float* tables;
  std::byte* scratch;  // of thread 0; scaler_floats() of each
  std::size_t thread_bytes;
};
void scale_all(const ScalingRun& run, int threads);

// For a path that takes tensors, not rows: the problem with its scaled queries in the shared scratch.
Problem scale_all(const Plan& plan, const Problem& problem, std::byte* scratch);

// A thread's: scales rows as many at a time as the kernel takes.
class QueryScaler {
 public:
  // scratch: scaler_floats(), aligned to a cache line.
  QueryScaler(const Scaling& scaling, const KernelTable& kernels, const float* tables, float* scratch,
              std::int64_t q_channel, std::int64_t out_channel);
  void add(std::int64_t batch, std::int64_t head, std::int64_t row, const float* q, float* out);
  void finish();  // writes what has been added

 private:
  const float* factors_of(std::int64_t batch, std::int64_t head, std::int64_t row);

  static constexpr std::size_t most_rows = 48;
  const Scaling& scaling_;
  const KernelTable& kernels_;
  const float* tables_;
  float* row_factors_;  // [max_rows][width]
  ScaleJob job_;
  std::array<ScaleRow, most_rows> rows_;
};

// One row in double: q has head_dim channels, q_channel apart.
void scale_row(const Scaling& scaling, std::int64_t batch, std::int64_t head, std::int64_t row, const float* q,
               std::int64_t q_channel, double* out);

}  // namespace heed
