// SPDX-License-Identifier: Apache-2.0
// One to a few query rows, whose kernel is another, and many keys, which are cut into parts.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "support/compare.hpp"
#include "support/small_call.hpp"

namespace heed::tests {
namespace {

std::string call(int heads, int q_len, int kv_len, int head_dim, int value_dim) {
  return "b=1 h=" + std::to_string(heads) + ":1 n=" + std::to_string(q_len) + ":" + std::to_string(kv_len) +
         " d=" + std::to_string(head_dim) + ":" + std::to_string(value_dim);
}

}  // namespace

TEST_CASE("1 to 10 rows are right with every option, around the sizes of vectors and tiles") {
  for (int rows = 1; rows <= 10; ++rows)
    for (const int kv_len : {1, 7, 8, 9, 16, 33, 104, 161, 300}) {
      const std::string keys = std::to_string(kv_len), cells = std::to_string(rows) + ":" + keys;
      for (const std::string& options :
           {std::string(), std::string("position=bottom_right causal slopes"),
            std::string("position=7 window=20:3 sinks cap=4"), std::string("lengths key_mask=allowed"),
            "mask=blocked:1:1:" + cells + " hidden=40 bias=1:1:1:" + keys + " bias_hidden=20"})
        REQUIRE_EQ(run_spec_everywhere(call(1, rows, kv_len, 20, 36) + " " + options, {1}), "");
    }
}

TEST_CASE("keys in parts are right with every option") {
  for (const std::string options : {"", "slopes position=bottom_right", "causal position=-200 sinks",
                                    "window=1300:0 position=bottom_right", "lengths sinks cap=10", "key_mask=blocked",
                                    "mask=allowed:2:1:1:4500 hidden=50", "bias=1:4:1:4500 bias_hidden=30"})
    for (const std::string sizes : {"b=2 h=4:2 n=1:4500 d=64:64", "b=2 h=4:1 n=1:4500 d=24:10"})
      CHECK_EQ(run_spec_everywhere(sizes + " " + options, {1, 2, 8}), "");
  CHECK_EQ(run_spec_everywhere("b=1 h=4:1 n=12:2100 d=32:32 causal position=bottom_right sinks slopes", {1, 2, 8}), "");
}

TEST_CASE("a part that sees nothing adds nothing, and a row without keys is 0 with lse -inf or its sink") {
  const std::int64_t lengths[] = {0, 1, 1100, 5000};
  const SmallCall small({.batch = 4, .q_heads = 2, .kv_heads = 1, .kv_len = 5000}, {1.0f}, {0.0f}, {3.0f});
  const float sinks[] = {0.0f, 1.0f};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs outputs = small.run(way, {.lengths = lengths});
    const Outputs with_sinks = small.run(way, {.sinks = sinks, .lengths = lengths});
    for (std::int64_t b = 0; b < 4; ++b) {
      const auto count = static_cast<double>(lengths[b]);
      CHECK(static_cast<double>(outputs.out.at(b, 0, 0, 0)) == doctest::Approx(count > 0.0 ? 3.0 : 0.0));
      if (lengths[b] == 0) {
        CHECK_EQ(outputs.lse.at(b, 0, 0, 0), -std::numeric_limits<float>::infinity());
        CHECK_EQ(with_sinks.lse.at(b, 1, 0, 0), 1.0f);
      }
      CHECK(static_cast<double>(with_sinks.out.at(b, 0, 0, 0)) == doctest::Approx(3.0 * count / (count + 1.0)));
    }
  });
}

TEST_CASE("a key of score infinity or NaN in one part reaches the whole row, and a hidden one none") {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    SmallCall small({.kv_len = 4000}, {1.0f}, {0.5f}, {1.0f});
    small.k[2500] = bad;
    std::vector<std::uint8_t> hidden(4000, 0);
    hidden[2500] = 1;
    for_each_way([&](const Way& way) {
      CAPTURE(way.text());
      CHECK(std::isnan(small.run(way).out.at(0, 0, 0, 0)));
      const Outputs outputs = small.run(way, {.key_mask = blocked_keys(hidden.data(), 1, 4000)});
      CHECK(static_cast<double>(outputs.out.at(0, 0, 0, 0)) == doctest::Approx(1.0));
      CHECK_EQ(outputs.weights.at(0, 0, 0, 2500), 0.0f);
    });
  }
}

TEST_CASE("a row has the same bits alone and beside other rows of its KV head") {
  // Few rows: what the others see does not show, nor how many they are on one K and V.
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec("b=9 h=2:2 n=1:203 d=32:32 k=0:6496:32:1 v=0:6496:32:1", spec), "");
  const perf::Workload workload(spec);
  std::vector<std::int64_t> lengths = {203, 1, 90, 31, 32, 33, 0, 203, 17};
  for_each_way([&](const Way& way) {
    if (way.path == Path::onednn) return;  // its products' bits depend on their shapes
    Call all = call_of(workload);
    all.options.lengths = lengths;
    const Outputs together = run_call(all, way, 1, true);
    for (std::int64_t b = 0; b < 9; ++b) {
      Call one = all;
      one.q.data = static_cast<const float*>(all.q.data) + b * all.q.strides[0];
      one.q.shape[0] = one.k.shape[0] = one.v.shape[0] = 1;
      one.options.lengths = std::span(lengths).subspan(static_cast<std::size_t>(b), 1);
      one.out_strides.reset();
      const Outputs alone = run_call(one, way, 1, true);
      CAPTURE(way.text());
      CAPTURE(b);
      for (std::int64_t h = 0; h < 2; ++h) {
        CHECK_EQ(alone.lse.at(0, h, 0, 0), together.lse.at(b, h, 0, 0));
        for (std::int64_t c = 0; c < 32; ++c) CHECK_EQ(alone.out.at(0, h, 0, c), together.out.at(b, h, 0, c));
      }
    }
  });
}

}  // namespace heed::tests
