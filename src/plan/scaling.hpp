// SPDX-License-Identifier: Apache-2.0
// The border of query scaling: sizes and pointers, validated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/query_scaling.hpp"

namespace heed {

struct Mlp {
  const float *w1 = nullptr, *b1 = nullptr, *w2 = nullptr, *b2 = nullptr;
  std::int64_t hidden = 0, outputs = 0;  // 0: not given
};

struct Scaling {
  bool is_given = false;
  std::int64_t batch = 0, heads = 0, rows = 0, head_dim = 0;
  const float* factors = nullptr;  // ssmax
  Mlp base, gate;

  // n of batch item b and row i: value, or counts[b * batch_step + i * row_step].
  std::int64_t value = 0;
  const std::int64_t* counts = nullptr;
  std::int64_t batch_step = 0, row_step = 0;
  std::int64_t count(std::int64_t b, std::int64_t i) const {
    return counts == nullptr ? value : counts[b * batch_step + i * row_step];
  }

  // Factors of a head: one for each channel, or one for all.
  bool has_channel_factors() const { return base.outputs > heads; }
  std::int64_t width() const { return has_channel_factors() ? head_dim : 1; }
  // Tables of factors [heads][width] that a call needs: one for each n that is not a row's own.
  std::int64_t tables() const { return row_step != 0 ? 0 : batch_step != 0 ? batch : 1; }
};

// kv_len: what n is by default.
Scaling make_scaling(const QueryScaling& scaling, const Dims& q_shape, std::int64_t kv_len);

// Floats of scratch: the tables, and what one thread needs to scale rows, max_rows at a time.
std::size_t factor_table_floats(const Scaling& scaling);
std::size_t scaler_floats(const Scaling& scaling, std::size_t max_rows);

}  // namespace heed
