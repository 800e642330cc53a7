// SPDX-License-Identifier: Apache-2.0
// What a golden's model does around its attention modules, in plain loops in double: norms, feed-forward, and the
// tokens they work on.
#pragma once

#include <span>

#include "cases/golden.hpp"

namespace heed::tests {

// [batch, tokens, channels] in C order.
struct Tokens {
  std::int64_t batch = 0, tokens = 0, channels = 0;
  std::vector<double> data{};

  std::span<double> row(std::int64_t b, std::int64_t n) {
    return std::span(data).subspan(static_cast<std::size_t>((b * tokens + n) * channels),
                                   static_cast<std::size_t>(channels));
  }
  std::span<const double> row(std::int64_t b, std::int64_t n) const {
    return std::span(data).subspan(static_cast<std::size_t>((b * tokens + n) * channels),
                                   static_cast<std::size_t>(channels));
  }
};
Tokens zeros(std::int64_t batch, std::int64_t tokens, std::int64_t channels);

// The last two dimensions are tokens and channels; those before are one batch.
Tokens read_tokens(const Stored& stored);
// Tokens [begin, end) of each batch item.
Tokens some_tokens(const Tokens& all, std::int64_t begin, std::int64_t end);
// `first` of batch 1 before the tokens of each batch item.
Tokens with_tokens_before(const Tokens& first, const Tokens& rest);
// a + b, where a of batch 1 is the same for each batch item of b.
Tokens sum(const Tokens& a, const Tokens& b);

// The golden's kind of norm, with the weights NAME_g and NAME_b; without the former the tokens as they are.
Tokens norm(const Golden& golden, const std::string& name, const Tokens& x);
// w2 GELU(w1 x + b1) + b2 with PREFIXffn_w1 and so on.
Tokens feed_forward(const Golden& golden, const std::string& prefix, const Tokens& x);

}  // namespace heed::tests
