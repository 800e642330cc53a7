// SPDX-License-Identifier: Apache-2.0
// Query scaling: a worked example in all its variants, and what mistakes are told.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/query_scaling.hpp"
#include "support/near.hpp"
#include "support/small_call.hpp"

namespace heed::tests {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// The worked example: 2 rows, 3 keys, 2 heads of 2 channels, hidden size 2; [head][row or key][channel].
const std::vector<float> example_q = {1.0f, -0.5f, -1.5f, 0.75f, 0.25f, 2.0f, 0.0f, 1.0f};
const std::vector<float> example_k = {0.5f, 1.0f, -1.0f, 0.25f, 2.0f, -1.0f, 1.0f, 0.0f, 0.5f, -0.5f, -0.25f, 1.5f};
const std::vector<float> example_v = {1, 0, 0, 1, -1, 2, 10, -1, 20, 0.5f, 30, 2};
const std::vector<float> w1b = {0.5f, -1.0f}, b1b = {0.1f, 0.2f},
                         w2b = {1.0f, 0.5f, 0.25f, -0.5f, -0.75f, 0.4f, 2.0f, 1.0f}, b2b = {0.1f, 1.0f, 0.5f, -0.2f};
const std::vector<float> w1g = {0.3f, -0.6f, 0.9f, 0.2f}, b1g = {0.05f, -0.1f}, w2g = {0.7f, -0.4f, -0.2f, 0.8f},
                         b2g = {0.0f, 0.15f};
const ScalingMlp example_base = {w1b, b1b, w2b, b2b}, example_gate = {w1g, b1g, w2g, b2g};

std::vector<float> scaled(const std::vector<float>& q, const Dims& shape, const QueryScaling& scaling,
                          const ScaleOptions& options = {}) {
  std::vector<float> out(q.size(), nan);
  const Tensor to = bhnd(out.data(), shape[0], shape[1], shape[2], shape[3]);
  const Status status = scale_queries(bhnd(q.data(), shape[0], shape[1], shape[2], shape[3]), scaling, to, options);
  CHECK_EQ(std::string(status.message()), "");
  return out;
}

std::vector<float> example_out(const Way& way, const Options& options) {
  const SmallCall call({.q_heads = 2, .kv_heads = 2, .q_len = 2, .kv_len = 3, .head_dim = 2, .value_dim = 2}, example_q,
                       example_k, example_v);
  return call.run(way, options).out.values();
}

}  // namespace

TEST_CASE("a worked example of qassmax: scaled queries and attention") {
  const QueryScaling scaling = qassmax(example_base, example_gate, {.value = 3});
  for_each_isa([&](const std::string& isa) {
    CHECK_EQ(difference(scaled(example_q, {1, 2, 2, 2}, scaling, {.isa = isa}),
                        {0.5611217779089005, -0.8691779215656978, -0.6980459676182512, 0.9771464594041664,
                         0.0136116625528151, 1.7236457156159388, 0.0, 0.7301387458586993},
                        3e-7),
             "");
  });
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(difference(example_out(way, {.query_scaling = qassmax(example_base, example_gate)}),
                        {-0.6439590782140402, 1.6439590782140403, 0.3716370452354803, 0.6283629547645198,
                         26.695338487710877, 1.5043007731566318, 22.966517810055866, 0.9449776715083793},
                        1e-5),
             "");
    CHECK_EQ(difference(example_out(way, {.scale = 1.0f, .query_scaling = scaling}),
                        {-0.8118357357909078, 1.8118357357909076, 0.392857301627062, 0.6071426983729384,
                         28.327342843498943, 1.7491014265248417, 24.248131238019816, 1.1372196857029726},
                        1e-5),
             "");
    const std::vector<float> s = {0.43f, 0.43f};
    CHECK_EQ(difference(example_out(way, {.query_scaling = ssmax(s)}),
                        {-0.3269319071701215, 1.3269319071701215, 0.2347281375165938, 0.7652718624834063,
                         23.511492822846336, 1.0267239234269503, 21.860261855936486, 0.7790392783904727},
                        1e-5),
             "");
  });
}

TEST_CASE("n is what the caller says, whatever is masked") {
  // Key 2 is hidden: n = 3 counts it, n = 2 does not.
  const std::vector<std::uint8_t> hidden = {0, 0, 1};
  for_each_way([&](const Way& way) {
    Options options = {.key_mask = blocked_keys(hidden.data(), 1, 3),
                       .query_scaling = qassmax(example_base, example_gate)};
    CHECK_EQ(difference(example_out(way, options),
                        {0.5335018143948834, 0.4664981856051166, 0.4446825216557385, 0.5553174783442615,
                         13.510987018481465, -0.4733519472277801, 14.358202474168145, -0.3462696288747782},
                        1e-5),
             "");
    options.query_scaling->key_counts.value = 2;
    CHECK_EQ(difference(example_out(way, options),
                        {0.4862193682958054, 0.5137806317041947, 0.503933709196602, 0.496066290803398,
                         14.338352477704007, -0.3492471283443991, 14.733349734040747, -0.2899975398938877},
                        1e-5),
             "");
  });
}

TEST_CASE("factors for other n; less than 1 counts as 1") {
  const std::vector<float> ones(8, 1.0f);
  const auto base = [&](std::int64_t n) { return scaled(ones, {1, 2, 2, 2}, qassmax(example_base, {}, {.value = n})); };
  CHECK_EQ(difference(base(1000),
                      {3.6532031209813556, 1.8883007802867677, 3.6532031209813556, 1.8883007802867677,
                       -2.1649023407873886, 6.906406241962711, -2.1649023407873886, 6.906406241962711},
                      1e-6),
           "");
  const std::vector<float> one = base(1);
  CHECK_EQ(difference({one[0], one[1], one[4], one[5]},
                      {0.2119087546716132, 0.9555697249880154, 0.5058536889593510, 0.0238175093432264}, 1e-7),
           "");
  CHECK_EQ(base(-5), one);
  const std::vector<std::int64_t> none = {0};
  CHECK_EQ(scaled(ones, {1, 2, 2, 2}, qassmax(example_base, {}, {.values = none})), one);
  const std::vector<float> s = {1.0f, 1.0f};
  CHECK_EQ(scaled(ones, {1, 2, 2, 2}, ssmax(s, {.value = 1})), std::vector<float>(8, 0.0f));
}

TEST_CASE("a gate of zeros is no gate, bit for bit") {
  const std::vector<float> zeros = {0, 0, 0, 0};
  const ScalingMlp gate = {w1g, b1g, zeros, {zeros.data(), 2}};
  for_each_isa([&](const std::string& isa) {
    CHECK_EQ(scaled(example_q, {1, 2, 2, 2}, qassmax(example_base, gate, {.value = 9}), {.isa = isa}),
             scaled(example_q, {1, 2, 2, 2}, qassmax(example_base, {}, {.value = 9}), {.isa = isa}));
  });
}

TEST_CASE("mistakes in a query scaling are named, and nothing is written") {
  std::vector<float> out(8, nan);
  const Tensor to = bhnd(out.data(), 1, 2, 2, 2);
  const ConstTensor q = bhnd(example_q.data(), 1, 2, 2, 2);
  const auto message = [&](const QueryScaling& scaling, const ScaleOptions& options = {}) {
    const Status status = scale_queries(q, scaling, to, options);
    CHECK_FALSE(status.ok());
    return std::string(status.message());
  };
  const std::vector<float> three = {1, 2, 3}, two = {1, 2};
  const std::vector<std::int64_t> counts = {1, 2, 3};
  const KeyCounts n = {.value = 3};
  CHECK_EQ(message({}), "query_scaling: neither factors nor base is given, expected one of the two");
  CHECK_EQ(message({two, example_base, {}, n}),
           "query_scaling: both factors and base are given, expected one of the two");
  CHECK_EQ(message({two, {}, example_gate, n}), "query_scaling.gate: given with factors, expected only with a base");
  CHECK_NE(message(ssmax(three, n)).find("query_scaling.factors"), std::string::npos);
  CHECK_EQ(message(ssmax(two)), "query_scaling.key_counts: not given, expected the number of keys");
  CHECK_EQ(message(ssmax(two, {.values = counts})),
           "query_scaling.key_counts: 3 values, expected 1 (batch) or 2 (batch * q_len)");
  CHECK_EQ(message(qassmax({w1b, b1b, w2b, three}, {}, n)),
           "query_scaling.base.b2: 3 values, expected 4 (q_heads * head_dim) or 2 (q_heads)");
  CHECK_NE(message(qassmax({three, b1b, w2b, b2b}, {}, n)).find("query_scaling.base.w1"), std::string::npos);
  CHECK_NE(message(qassmax({w1b, b1b, three, b2b}, {}, n)).find("query_scaling.base.w2"), std::string::npos);
  CHECK_NE(message(qassmax({w1b, {}, w2b, b2b}, {}, n)).find("query_scaling.base.b1"), std::string::npos);
  CHECK_NE(message(qassmax(example_base, {w1g, b1g, w2g, three}, n)).find("query_scaling.gate.b2"), std::string::npos);
  CHECK_NE(message(qassmax(example_base, {three, b1g, w2g, b2g}, n)).find("query_scaling.gate.w1"), std::string::npos);
  CHECK_NE(message(ssmax(two, n), {.threads = -1}).find("threads"), std::string::npos);
  CHECK_NE(message(ssmax(two, n), {.isa = "sse9"}).find("sse9"), std::string::npos);
  CHECK_NE(message(ssmax({out.data(), 2}, n)).find("out"), std::string::npos);
  for (const float value : out) CHECK(std::isnan(value));
  for_each_way([&](const Way& way) {
    const SmallCall call({.q_heads = 2, .kv_heads = 2, .q_len = 2, .kv_len = 3, .head_dim = 2, .value_dim = 2},
                         example_q, example_k, example_v);
    const Outputs outputs = call.run(way, {.query_scaling = ssmax(three)});
    CHECK_NE(std::string(outputs.status.message()).find("query_scaling.factors"), std::string::npos);
    for (const float value : outputs.out.values()) CHECK(std::isnan(value));
  });
}

}  // namespace heed::tests
