// SPDX-License-Identifier: Apache-2.0
#include "cases/model_steps.hpp"

#include <algorithm>
#include <cmath>

namespace heed::tests {
namespace {

template <class Body>
void for_each_row(const Tokens& x, const Body& body) {
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t n = 0; n < x.tokens; ++n) body(b, n);
}

Tokens linear(const Golden& golden, const std::string& weights_name, const std::string& bias_name, const Tokens& x) {
  const Stored& weights = golden.need(weights_name);
  if (weights.shape.at(1) != x.channels) throw BadCase(weights_name + ": not as wide as the tokens");
  Tokens y = zeros(x.batch, x.tokens, weights.shape.at(0));
  if (golden.has(bias_name))
    for_each_row(y, [&](auto b, auto n) { std::ranges::copy(golden.need(bias_name).data, y.row(b, n).begin()); });
  for_each_row(y, [&](auto b, auto n) {
    std::size_t next = 0;
    for (double& output : y.row(b, n))
      for (const double input : x.row(b, n)) output += weights.data[next++] * input;
  });
  return y;
}

}  // namespace

Tokens zeros(std::int64_t batch, std::int64_t tokens, std::int64_t channels) {
  return {batch, tokens, channels, std::vector<double>(static_cast<std::size_t>(batch * tokens * channels))};
}

Tokens read_tokens(const Stored& stored) {
  const std::size_t rank = stored.shape.size();
  if (rank < 2) throw BadCase("tokens: expected rank 2 or more");
  const std::int64_t tokens = stored.shape[rank - 2], channels = stored.shape[rank - 1];
  return {static_cast<std::int64_t>(stored.data.size()) / (tokens * channels), tokens, channels, stored.data};
}

Tokens some_tokens(const Tokens& all, std::int64_t begin, std::int64_t end) {
  if (begin < 0 || begin > end || end > all.tokens) throw BadCase("rows beyond the tokens");
  Tokens some = zeros(all.batch, end - begin, all.channels);
  for_each_row(some, [&](auto b, auto n) { std::ranges::copy(all.row(b, begin + n), some.row(b, n).begin()); });
  return some;
}

Tokens with_tokens_before(const Tokens& first, const Tokens& rest) {
  Tokens all = zeros(rest.batch, first.tokens + rest.tokens, rest.channels);
  for_each_row(all, [&](auto b, auto n) {
    std::ranges::copy(n < first.tokens ? first.row(0, n) : rest.row(b, n - first.tokens), all.row(b, n).begin());
  });
  return all;
}

Tokens sum(const Tokens& a, const Tokens& b) {
  Tokens result = b;
  for (std::size_t n = 0; n < result.data.size(); ++n) result.data[n] += a.data.at(n % a.data.size());
  return result;
}

Tokens norm(const Golden& golden, const std::string& name, const Tokens& x) {
  if (!golden.has(name + "_g")) return x;
  const bool subtracts_mean = field(golden.config, "norm") == "layernorm";
  const double epsilon = number(field(golden.config, "eps")), channels = static_cast<double>(x.channels);
  const std::vector<double>& weights = golden.need(name + "_g").data;
  const std::vector<double> none(weights.size(), 0.0);
  const std::vector<double>& bias = golden.has(name + "_b") ? golden.need(name + "_b").data : none;
  Tokens y = x;
  for_each_row(y, [&](auto b, auto n) {
    double mean = 0.0, square = 0.0;
    if (subtracts_mean)
      for (const double value : y.row(b, n)) mean += value / channels;
    for (const double value : y.row(b, n)) square += (value - mean) * (value - mean) / channels;
    std::size_t c = 0;
    for (double& value : y.row(b, n)) {
      value = (value - mean) / std::sqrt(square + epsilon) * weights.at(c) + bias.at(c);
      ++c;
    }
  });
  return y;
}

Tokens feed_forward(const Golden& golden, const std::string& prefix, const Tokens& x) {
  Tokens hidden = linear(golden, prefix + "ffn_w1", prefix + "ffn_b1", x);
  for (double& value : hidden.data) value *= 0.5 * (1.0 + std::erf(value / std::sqrt(2.0)));
  return linear(golden, prefix + "ffn_w2", prefix + "ffn_b2", hidden);
}

}  // namespace heed::tests
