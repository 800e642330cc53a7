// SPDX-License-Identifier: Apache-2.0
// A call whose values are classes, in both its forms: with indices, and with the V that they stand for.
#pragma once

#include <limits>

#include "heed/classes.hpp"
#include "random_numbers.hpp"
#include "support/checked_call.hpp"

namespace heed::tests {

class ClassCall {
 public:
  // The values of `call` make room for classes drawn by `seed`. Indices that no one may read hold anything.
  ClassCall(Call call, std::uint64_t seed, Edge edge = Edge::end)
      : call_(std::move(call)),
        batch_(call_.q.shape[0]),
        kv_len_(call_.k.shape[2]),
        indices_(static_cast<std::size_t>(batch_ * kv_len_), edge),
        values_(static_cast<std::size_t>(batch_ * kv_len_ * count()), 0.0f) {
    perf::Random random(seed);
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t j = 0; j < kv_len_; ++j) {
        const auto key = static_cast<std::size_t>(b * kv_len_ + j);
        const bool is_read = call_.options.lengths.empty() || j < call_.options.lengths[static_cast<std::size_t>(b)];
        const auto number = static_cast<std::int32_t>(random.between(0, count() - 1));
        indices_[key] = is_read ? number : random.chance(0.5) ? -1 : std::numeric_limits<std::int32_t>::max();
        if (is_read) values_[key * static_cast<std::size_t>(count()) + static_cast<std::size_t>(number)] = 1.0f;
      }
    call_.v = {values_.data(),
               {batch_, call_.k.shape[1], kv_len_, count()},
               {kv_len_ * count(), 0, count(), 1}};  // one V for all heads
  }

  const Call& dense() const { return call_; }
  std::span<std::int32_t> indices() const { return indices_.values(); }
  ClassIndices classes() const { return class_indices(indices_.data(), batch_, kv_len_); }

  Outputs run(const Way& way, int threads, bool wants_weights, Edge edge = Edge::end) const {
    return run_call(call_, way, threads, wants_weights, edge, classes());
  }

 private:
  std::int64_t count() const { return call_.v.shape[3]; }

  Call call_;
  std::int64_t batch_, kv_len_;
  GuardedBuffer<std::int32_t> indices_;
  std::vector<float> values_;
};

}  // namespace heed::tests
