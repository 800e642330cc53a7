// SPDX-License-Identifier: Apache-2.0
// Calls on tensors written out in a test: contiguous, and as short as the test wants them.
#pragma once

#include <utility>
#include <vector>

#include "support/checked_call.hpp"

namespace heed::tests {

struct Sizes {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 1, kv_len = 1, head_dim = 1, value_dim = 1;
};

// Owns q, k and v. A single number fills a tensor.
class SmallCall {
 public:
  SmallCall(const Sizes& sizes, std::vector<float> q_values, std::vector<float> k_values, std::vector<float> v_values)
      : q(fitted(std::move(q_values), sizes.batch * sizes.q_heads * sizes.q_len * sizes.head_dim)),
        k(fitted(std::move(k_values), sizes.batch * sizes.kv_heads * sizes.kv_len * sizes.head_dim)),
        v(fitted(std::move(v_values), sizes.batch * sizes.kv_heads * sizes.kv_len * sizes.value_dim)),
        sizes_(sizes) {}

  Call call(const Options& options = {}) const {
    const float* const q_data = q.data();
    const float* const k_data = k.data();
    const float* const v_data = v.data();
    return {bhnd(q_data, sizes_.batch, sizes_.q_heads, sizes_.q_len, sizes_.head_dim),
            bhnd(k_data, sizes_.batch, sizes_.kv_heads, sizes_.kv_len, sizes_.head_dim),
            bhnd(v_data, sizes_.batch, sizes_.kv_heads, sizes_.kv_len, sizes_.value_dim), options};
  }
  Outputs run(const Way& way, const Options& options = {}) const { return run_call(call(options), way, 1, true); }

  std::vector<float> q, k, v;

 private:
  static std::vector<float> fitted(std::vector<float> values, std::int64_t count) {
    if (values.size() == 1) values.resize(static_cast<std::size_t>(count), values.front());
    return values;
  }
  Sizes sizes_;
};

// v[j][c] = j + c: with equal scores, out says which keys were seen.
inline std::vector<float> key_numbers(std::int64_t kv_len, std::int64_t value_dim = 1) {
  std::vector<float> values;
  for (std::int64_t j = 0; j < kv_len; ++j)
    for (std::int64_t c = 0; c < value_dim; ++c) values.push_back(static_cast<float>(j + c));
  return values;
}

}  // namespace heed::tests
