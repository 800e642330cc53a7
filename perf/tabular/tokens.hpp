// SPDX-License-Identifier: Apache-2.0
// What stands between the attention calls of a model: norms and sums over tokens, in plain loops.
#pragma once

#include <vector>

#include "heed/tensor.hpp"

namespace heed::perf {

// Tokens [batch][tokens][channels] side by side, or a view of some in any strides.
struct TokenView {
  float* data;
  std::int64_t batch, tokens, channels, batch_stride, token_stride;

  float* row(std::int64_t b, std::int64_t n) const { return data + b * batch_stride + n * token_stride; }
  Tensor tensor() const { return {data, {batch, 1, tokens, channels}, {batch_stride, 0, token_stride, 1}}; }
  TokenView some_items(std::int64_t begin, std::int64_t count) const {
    return {row(begin, 0), count, tokens, channels, batch_stride, token_stride};
  }
  TokenView some_tokens(std::int64_t begin, std::int64_t count) const {
    return {row(0, begin), batch, count, channels, batch_stride, token_stride};
  }
};

class Tokens {
 public:
  Tokens(std::int64_t batch, std::int64_t tokens, std::int64_t channels)
      : values_(static_cast<std::size_t>(batch * tokens * channels)),
        view_{values_.data(), batch, tokens, channels, tokens * channels, channels} {}
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;
  const TokenView& view() const { return view_; }
  std::vector<float> take() && { return std::move(values_); }

 private:
  std::vector<float> values_;
  TokenView view_;
};

// y = x / sqrt(mean(x^2) + 2^-23) for each token.
void normalise(const TokenView& x, const TokenView& y);
// x += y; y of batch 1 is added to all items.
void add(const TokenView& x, const TokenView& y);

}  // namespace heed::perf
