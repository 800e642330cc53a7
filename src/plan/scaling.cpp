// SPDX-License-Identifier: Apache-2.0
// Spans become pointers and sizes.
#include "plan/scaling.hpp"

#include <algorithm>

namespace heed {
namespace {

Mlp make_mlp(const ScalingMlp& mlp) {
  return {mlp.w1.data(),
          mlp.b1.data(),
          mlp.w2.data(),
          mlp.b2.data(),
          static_cast<std::int64_t>(mlp.b1.size()),
          static_cast<std::int64_t>(mlp.b2.size())};
}

}  // namespace

Scaling make_scaling(const QueryScaling& scaling, const Dims& q_shape, std::int64_t kv_len) {
  Scaling result;
  result.is_given = true;
  result.batch = q_shape[0];
  result.heads = q_shape[1];
  result.rows = q_shape[2];
  result.head_dim = q_shape[3];
  result.factors = scaling.factors.data();
  result.base = make_mlp(scaling.base);
  result.gate = make_mlp(scaling.gate);
  const KeyCounts& counts = scaling.key_counts;
  result.value = counts.value == 0 ? kv_len : counts.value;
  if (counts.values.empty()) return result;
  result.counts = counts.values.data();
  const bool has_one_a_row = static_cast<std::int64_t>(counts.values.size()) != result.batch;
  result.batch_step = has_one_a_row ? result.rows : 1;
  result.row_step = has_one_a_row ? 1 : 0;
  return result;
}

std::size_t factor_table_floats(const Scaling& scaling) {
  return static_cast<std::size_t>(scaling.tables() * scaling.heads * scaling.width());
}

std::size_t scaler_floats(const Scaling& scaling, std::size_t max_rows) {
  const auto head_dim = static_cast<std::size_t>(scaling.head_dim);
  const auto hidden = static_cast<std::size_t>(std::max<std::int64_t>(scaling.gate.hidden, 1));
  const auto row_factors = static_cast<std::size_t>(scaling.row_step != 0 ? scaling.width() : 0);
  return max_rows * (2 * head_dim + hidden + row_factors);
}

}  // namespace heed
