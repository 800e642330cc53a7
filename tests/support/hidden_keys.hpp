// SPDX-License-Identifier: Apache-2.0
// Writes NaN and infinity where nobody may look.
#pragma once

#include <limits>

#include "support/guarded_tensor.hpp"
#include "support/oracle.hpp"
#include "workload.hpp"

namespace heed::tests {

inline bool is_seen_by_any_row(const Oracle& oracle, const perf::Spec& spec, std::int64_t b, std::int64_t kv_head,
                               std::int64_t j) {
  const std::int64_t group = spec.q_heads / spec.kv_heads;
  for (std::int64_t row = 0; row < group * spec.q_len; ++row)
    if (oracle.is_visible(b, kv_head * group + row % group, row / group, j)) return true;
  return false;
}

// K and V of every key that no row sees: NaN in one, infinity of either sign in the other, by turns.
// The workload's tensors must not broadcast. Returns how many keys that were.
inline std::int64_t poison_hidden_keys(perf::Workload& workload) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const perf::Spec& spec = workload.spec;
  const Oracle oracle(workload.q, workload.k, workload.v, workload.options);
  const auto fill_row = [](const Tensor& tensor, std::int64_t b, std::int64_t h, std::int64_t j, float value) {
    for (std::int64_t c = 0; c < tensor.shape[3]; ++c)
      static_cast<float*>(tensor.data)[element_offset(tensor.shape, tensor.strides, {b, h, j, c})] = value;
  };
  std::int64_t count = 0;
  for_each_element({spec.batch, spec.kv_heads, spec.kv_len, 1}, [&](auto b, auto head, auto j, auto) {
    if (is_seen_by_any_row(oracle, spec, b, head, j)) return;
    ++count;
    fill_row(workload.k, b, head, j, j % 3 == 0 ? nan : j % 3 == 1 ? infinity : -infinity);
    fill_row(workload.v, b, head, j, j % 3 == 2 ? nan : j % 3 == 1 ? -infinity : infinity);
  });
  return count;
}

}  // namespace heed::tests
