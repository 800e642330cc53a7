// SPDX-License-Identifier: Apache-2.0
// Induced attention is two calls of the module: the same bits as the two, for shared points and ragged lengths; points
// that are shared equal points that are repeated; and mistakes in either half are told before anything is written.
#include "heed/induced.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t batch = 3, tokens = 70, points = 5, channels = 8, heads = 2;

std::vector<float> normal_values(std::int64_t count, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill(values, Fill::normal, random);
  return values;
}

struct Inputs {
  explicit Inputs(Random& random)
      : weights(normal_values(8 * channels * channels, random)),
        point_values(normal_values(points * channels, random)),
        x_values(normal_values(batch * tokens * channels, random)),
        hidden_values(static_cast<std::size_t>(batch * points * channels), nan),
        out_values(x_values.size(), nan) {
    const auto layer = [&](std::int64_t n) {
      return linear(weights.data() + n * channels * channels, channels, channels);
    };
    module.induce = {heads, heads, layer(0), layer(1), layer(2), layer(3), {}, {}, {}};
    module.spread = {heads, heads, layer(4), layer(5), layer(6), layer(7), {}, {}, {}};
    point = bhnd(static_cast<const float*>(point_values.data()), 1, 1, points, channels);
    x = bhnd(static_cast<const float*>(x_values.data()), batch, 1, tokens, channels);
    hidden = bhnd(hidden_values.data(), batch, 1, points, channels);
    out = bhnd(out_values.data(), batch, 1, tokens, channels);
  }
  std::string said(const InducedOptions& options = {}) const {
    return induced_attention(module, point, x, x, hidden, out, options).message();
  }
  std::vector<float> weights, point_values, x_values, hidden_values, out_values;
  InducedAttention module;
  ConstTensor point, x;
  Tensor hidden, out;
};

}  // namespace

TEST_CASE("induced attention is two calls of the module") {
  Random random(run_options().seed);
  Inputs inputs(random);
  const std::vector<std::int64_t> lengths = {tokens, 1, 33};
  for (const int threads : {1, 2, 8}) {
    const InducedOptions options{{.lengths = lengths, .threads = threads}, {.threads = threads}};
    CHECK_EQ(inputs.said(options), "");
    std::vector<float> repeated;
    for (std::int64_t b = 0; b < batch; ++b)
      repeated.insert(repeated.end(), inputs.point_values.begin(), inputs.point_values.end());
    std::vector<float> hidden_values(inputs.hidden_values.size(), nan), out_values(inputs.out_values.size(), nan);
    const Tensor hidden = bhnd(hidden_values.data(), batch, 1, points, channels);
    const Tensor out = bhnd(out_values.data(), batch, 1, tokens, channels);
    const ConstTensor shared = for_each_item(inputs.point, batch);
    CHECK_EQ(shared.strides[0], 0);
    CHECK(multi_head_attention(inputs.module.induce, shared, inputs.x, hidden, options.induce).ok());
    CHECK(multi_head_attention(inputs.module.spread, inputs.x, hidden, out, options.spread).ok());
    CHECK(inputs.hidden_values == hidden_values);
    CHECK(inputs.out_values == out_values);

    const ConstTensor apart = bhnd(static_cast<const float*>(repeated.data()), batch, 1, points, channels);
    CHECK(multi_head_attention(inputs.module.induce, apart, inputs.x, hidden, options.induce).ok());
    for (std::size_t n = 0; n < hidden_values.size(); ++n)
      CHECK(std::abs(hidden_values[n] - inputs.hidden_values[n]) < 1e-4f);
  }
}

TEST_CASE("tokens that the points may not read change nothing but their own rows") {
  Random random(run_options().seed);
  Inputs inputs(random);
  const std::vector<std::int64_t> lengths = {40, 40, 40};
  const InducedOptions options{{.lengths = lengths}, {}};
  CHECK_EQ(inputs.said(options), "");
  const std::vector<float> hidden = inputs.hidden_values, out = inputs.out_values;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t n = 40; n < tokens; ++n)
      inputs.x_values[static_cast<std::size_t>((b * tokens + n) * channels)] += 1.0f;
  CHECK_EQ(inputs.said(options), "");
  CHECK(inputs.hidden_values == hidden);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t n = 0; n < 40 * channels; ++n) {
      const auto at = static_cast<std::size_t>(b * tokens * channels + n);
      CHECK_EQ(inputs.out_values[at], out[at]);
    }
}

TEST_CASE("mistakes in either half of induced attention are told, and nothing is written") {
  Random random(run_options().seed);
  Inputs inputs(random);
  const Inputs right = inputs;
  Inputs wrong(random);
  wrong.hidden.shape[3] = 7;
  CHECK_EQ(wrong.said(), "induce: out: dimension 3 is 7, expected 8 (outputs of w_o)");
  wrong.hidden.shape[3] = channels;
  wrong.point.shape[0] = 2;
  CHECK_EQ(wrong.said(), "induce: context: dimension 0 is 3, expected 2 (batch)");
  wrong.point.shape[0] = 1;
  wrong.module.spread.w_k.inputs = 9;
  CHECK_EQ(wrong.said().substr(0, 12), "spread: w_k:");
  wrong.module.spread.w_k.inputs = channels;
  CHECK_EQ(wrong.said({{}, {.isa = "none"}}).substr(0, 12), "spread: isa:");
  std::vector<std::byte> scratch(8);
  CHECK_EQ(wrong.said({{}, {.scratch = scratch}}).substr(0, 24), "spread: scratch: 8 bytes");
  wrong.hidden.data = wrong.weights.data() + 4 * channels * channels;  // over w_q of the second half
  CHECK_NE(wrong.said().find("spread: hidden"), std::string::npos);
  wrong.hidden.data = wrong.x_values.data();
  CHECK_NE(wrong.said().find("overlap"), std::string::npos);
  for (const float value : wrong.out_values) CHECK(std::isnan(value));
  for (const float value : wrong.hidden_values) CHECK(std::isnan(value));
}

}  // namespace heed::tests
