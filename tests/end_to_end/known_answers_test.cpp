// SPDX-License-Identifier: Apache-2.0
// Answers computed by hand. They test the reference path, which tests the others; the others have to
// give them too.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/near.hpp"
#include "support/small_call.hpp"

namespace heed::tests {
namespace {

constexpr double near = 1e-6;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr float minus_infinity_f = -std::numeric_limits<float>::infinity();

// q k^T: row 0 has scores 1, 2, 0; row 1 has 2, 0, 2.
SmallCall two_by_three() {
  return {
      {.q_len = 2, .kv_len = 3, .head_dim = 2, .value_dim = 2}, {1, 0, 0, 2}, {1, 1, 2, 0, 0, 1}, {1, 0, 0, 1, 2, 2}};
}

// q of zeros: every visible key weighs the same, and out is the mean of the numbers of the keys seen.
SmallCall equal_scores(std::int64_t q_len, std::int64_t kv_len) {
  return {{.q_len = q_len, .kv_len = kv_len}, {0}, {1}, key_numbers(kv_len)};
}

std::vector<double> scores_of(const Outputs& outputs) {
  std::vector<double> scores;
  for_each_element(outputs.weights.shape(), [&](auto b, auto h, auto i, auto j) {
    scores.push_back(std::log(static_cast<double>(outputs.weights.at(b, h, i, j))) +
                     static_cast<double>(outputs.lse.at(b, h, i, 0)));
  });
  return scores;
}

}  // namespace

TEST_CASE("two queries and three keys: every score, weight, sum and output") {
  // e = 2.7182818, e^2 = 7.3890561, e^0 = 1. Row 0 sums to 11.1073379, row 1 to 15.7781122.
  for_each_way([](const Way& way) {
    const Outputs outputs = two_by_three().run(way, {.scale = 1.0f});
    REQUIRE(outputs.status.ok());
    CAPTURE(way.text());
    const std::vector<double> scores = scores_of(outputs), wanted = {1, 2, 0, 2, 0, 2};
    for (std::size_t n = 0; n < wanted.size(); ++n) CHECK(std::abs(scores[n] - wanted[n]) < near);
    CHECK_EQ(difference(outputs.weights.values(),
                        {0.2447284711, 0.6652409558, 0.0900305732, 0.4683105308, 0.0633789383, 0.4683105308}, near),
             "");
    CHECK_EQ(difference(outputs.out.values(), {0.4247896174, 0.8453021021, 1.4049315925, 1.0}, near), "");
    CHECK_EQ(difference(outputs.lse.values(), {2.4076059644, 2.7586236757}, near), "");
  });
}

TEST_CASE("the default scale is 1/sqrt(head_dim)") {
  for_each_way([](const Way& way) {
    const Outputs outputs = two_by_three().run(way);
    CAPTURE(way.text());
    CHECK_EQ(difference(outputs.weights.values(),
                        {0.2839954097, 0.5759753452, 0.1400292450, 0.4458082741, 0.1083834518, 0.4458082741}, near),
             "");
    CHECK_EQ(difference(outputs.out.values(), {0.5640538998, 0.8560338353, 1.3374248223, 1.0}, near), "");
    CHECK_EQ(difference(outputs.lse.values(), {1.9659039850, 2.2220798604}, near), "");
  });
}

TEST_CASE("softmax runs along the keys: rows sum to 1, columns do not") {
  for_each_way([](const Way& way) {
    const GuardedTensor weights = two_by_three().run(way, {.scale = 1.0f}).weights;
    CAPTURE(way.text());
    for (std::int64_t i = 0; i < 2; ++i)
      CHECK(std::abs(static_cast<double>(weights.at(0, 0, i, 0)) + static_cast<double>(weights.at(0, 0, i, 1)) +
                     static_cast<double>(weights.at(0, 0, i, 2)) - 1.0) < near);
    CHECK(std::abs(static_cast<double>(weights.at(0, 0, 0, 0)) + static_cast<double>(weights.at(0, 0, 1, 0)) -
                   0.7130390019) < near);
  });
}

TEST_CASE("a blocked key and a bias of minus infinity are the same; a 0/1 bias adds") {
  const std::uint8_t cells[] = {0, 1, 0, 0, 0, 0};
  const float hide[] = {0, minus_infinity_f, 0, 0, 0, 0}, add[] = {0, 1, 0, 0, 0, 0};
  // Without key 1, row 0 sums to e + 1 = 3.7182818.
  const std::vector<double> weights = {0.7310585786, 0, 0.2689414214, 0.4683105308, 0.0633789383, 0.4683105308};
  const std::vector<double> lse = {1.3132616875, 2.7586236757};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs by_mask = two_by_three().run(way, {.scale = 1.0f, .mask = blocked(cells, {1, 1, 2, 3})});
    const Outputs by_bias = two_by_three().run(way, {.scale = 1.0f, .bias = bhnd(hide, 1, 1, 2, 3)});
    for (const Outputs* outputs : {&by_mask, &by_bias}) {
      CHECK_EQ(difference(outputs->weights.values(), weights, near), "");
      CHECK_EQ(outputs->weights.at(0, 0, 0, 1), 0.0f);
      CHECK_EQ(difference(outputs->lse.values(), lse, near), "");
      CHECK_EQ(difference(outputs->out.values(), {1.2689414214, 0.5378828427, 1.4049315925, 1.0}, near), "");
    }
    // Scores 1, 3, 0: e^3 = 20.0855369, the sum 23.8038187.
    const Outputs added = two_by_three().run(way, {.scale = 1.0f, .bias = bhnd(add, 1, 1, 2, 3)});
    CHECK_EQ(difference(added.weights.values(),
                        {0.1141951994, 0.8437947344, 0.0420100662, 0.4683105308, 0.0633789383, 0.4683105308}, near),
             "");
  });
}

TEST_CASE("a bias of 0 and 1 on equal scores gives weights 0.269 and 0.731") {
  const float bias[] = {0, 1};
  for_each_way([&](const Way& way) {
    const Outputs outputs = equal_scores(1, 2).run(way, {.bias = bhnd(bias, 1, 1, 1, 2)});
    CHECK_EQ(difference(outputs.weights.values(), {0.2689414214, 0.7310585786}, near), "");
  });
}

TEST_CASE("allowed is the opposite of blocked, for keys and for pairs") {
  const std::uint8_t cells[] = {0, 1, 0, 0, 0, 0}, opposite[] = {1, 0, 1, 1, 1, 1};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(two_by_three().run(way, {.mask = blocked(cells, {1, 1, 2, 3})}).out.values(),
             two_by_three().run(way, {.mask = allowed(opposite, {1, 1, 2, 3})}).out.values());
    CHECK_EQ(two_by_three().run(way, {.key_mask = blocked_keys(cells, 1, 3)}).out.values(),
             two_by_three().run(way, {.key_mask = allowed_keys(opposite, 1, 3)}).out.values());
  });
}

TEST_CASE("a row that sees nothing gives zeros and minus infinity; with a sink its lse is the sink") {
  const std::uint8_t cells[] = {0, 0, 0, 1, 1, 1};
  const float sink[] = {0.5f};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    Options options{.scale = 1.0f, .mask = blocked(cells, {1, 1, 2, 3})};
    const Outputs plain = two_by_three().run(way, options);
    CHECK_EQ(difference(plain.out.values(), {0.4247896174, 0.8453021021, 0, 0}, near), "");
    CHECK_EQ(difference(plain.lse.values(), {2.4076059644, minus_infinity}, near), "");
    for (std::int64_t j = 0; j < 3; ++j) CHECK_EQ(plain.weights.at(0, 0, 1, j), 0.0f);
    options.sinks = sink;
    // e^0.5 = 1.6487213 joins the sum of row 0: 12.7560592.
    const Outputs with_sink = two_by_three().run(way, options);
    CHECK_EQ(difference(with_sink.lse.values(), {2.5460061890, 0.5}, near), "");
    CHECK_EQ(with_sink.lse.at(0, 0, 1, 0), 0.5f);
    CHECK_EQ(with_sink.out.at(0, 0, 1, 0), 0.0f);
  });
}

TEST_CASE("a sink joins the denominator once, unscaled and uncapped") {
  // Scores -1 and -2, sink 3: e^-1 + e^-2 + e^3 = 0.3678794 + 0.1353353 + 20.0855369.
  const SmallCall call({.kv_len = 2}, {1}, {-2, -4}, {1, 10});
  const float sink[] = {3};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs outputs = call.run(way, {.scale = 0.5f, .soft_cap = 0.0f, .sinks = sink});
    CHECK_EQ(difference(outputs.weights.values(), {0.0178679819, 0.0065732632}, near), "");
    CHECK_EQ(difference(outputs.out.values(), {0.0836006137}, near), "");
    CHECK_EQ(difference(outputs.lse.values(), {3.0247448901}, near), "");
    // A cap of 1 brings the scores to tanh(-1), tanh(-2) and leaves the sink alone.
    const Outputs capped = call.run(way, {.scale = 0.5f, .soft_cap = 1.0f, .sinks = sink});
    CHECK_EQ(difference(capped.lse.values(), {3.0413656635}, near), "");
  });
}

TEST_CASE("the soft cap comes before bias and slopes") {
  // Raw scores 4 and 0 under a cap of 2: 2 tanh(2) = 1.9280552 and 0. A bias of 1 is added whole.
  const SmallCall call({.kv_len = 2}, {1}, {4, 0}, {0, 1});
  const float bias[] = {0, 1};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(difference(call.run(way, {.scale = 1.0f, .soft_cap = 2.0f}).weights.values(), {0.8730339992, 0.1269660008},
                        near),
             "");
    const Outputs biased = call.run(way, {.scale = 1.0f, .soft_cap = 2.0f, .bias = bhnd(bias, 1, 1, 1, 2)});
    CHECK_EQ(difference(biased.weights.values(), {0.7166805531, 0.2833194469}, near), "");
  });
}

TEST_CASE("ALiBi takes slope times distance from the row's position") {
  // Slope ln 2 at position 2: weights go with 2^-|2 - j|, that is 1/4, 1/2, 1, 1/2, 1/4 of 2.5.
  const float slope[] = {0.69314718f};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs outputs = equal_scores(1, 5).run(way, {.slopes = slope, .position = Position::offset(2)});
    CHECK_EQ(difference(outputs.weights.values(), {0.1, 0.2, 0.4, 0.2, 0.1}, near), "");
    CHECK_EQ(difference(outputs.lse.values(), {0.9162907319}, near), "");
  });
}

TEST_CASE("causal rows see up to their position, wherever it is anchored") {
  for_each_way([](const Way& way) {
    CAPTURE(way.text());
    const auto out = [&](std::int64_t q_len, std::int64_t kv_len, Position position) {
      return equal_scores(q_len, kv_len).run(way, {.position = position, .causal = true}).out.values();
    };
    CHECK_EQ(difference(out(3, 5, Position::top_left()), {0, 0.5, 1}, near), "");
    CHECK_EQ(difference(out(3, 5, Position::bottom_right()), {1, 1.5, 2}, near), "");
    CHECK_EQ(difference(out(5, 3, Position::top_left()), {0, 0.5, 1, 1, 1}, near), "");
    CHECK_EQ(difference(out(5, 3, Position::bottom_right()), {0, 0, 0, 0.5, 1}, near), "");
    CHECK_EQ(difference(out(1, 8, Position::top_left()), {0}, near), "");
    CHECK_EQ(difference(out(1, 8, Position::bottom_right()), {3.5}, near), "");
    CHECK_EQ(difference(out(3, 3, Position::offset(-2)), {0, 0, 0}, near), "");
    const Outputs empty = equal_scores(5, 3).run(way, {.position = Position::bottom_right(), .causal = true});
    CHECK_EQ(difference(empty.lse.values(), {minus_infinity, minus_infinity, 0, std::log(2.0), std::log(3.0)}, near),
             "");
  });
}

TEST_CASE("windows count neighbours, inclusive; 0 is a bound and -1 is none") {
  for_each_way([](const Way& way) {
    CAPTURE(way.text());
    const auto out = [&](std::int64_t length, Window window, bool causal = false) {
      return equal_scores(length, length).run(way, {.causal = causal, .window = window}).out.values();
    };
    CHECK_EQ(difference(out(6, {2, 0}), {0, 0.5, 1, 2, 3, 4}, near), "");
    CHECK_EQ(difference(out(5, {0, 0}), {0, 1, 2, 3, 4}, near), "");
    CHECK_EQ(difference(out(5, {0, -1}), {2, 2.5, 3, 3.5, 4}, near), "");
    CHECK_EQ(difference(out(5, {-1, 1}), {0.5, 1, 1.5, 2, 2}, near), "");
    CHECK_EQ(difference(out(5, {1, 1}, true), {0, 0.5, 1.5, 2.5, 3.5}, near), "");
    // A window that reaches everywhere is no window, with and without causal.
    CHECK_EQ(difference(out(4, {100, 100}), {1.5, 1.5, 1.5, 1.5}, near), "");
    CHECK_EQ(difference(out(4, {100, 100}, true), {0, 0.5, 1, 1.5}, near), "");
    CHECK_EQ(out(33, {32, 0}), equal_scores(33, 33).run(way, {.causal = true}).out.values());
    const Outputs wide = equal_scores(6, 3).run(way, {.position = Position::top_left(), .window = {-1, 2147483647}});
    CHECK_EQ(difference(wide.out.values(), {1, 1, 1, 1, 1, 1}, near), "");
  });
}

TEST_CASE("consecutive query heads share a KV head") {
  // KV head 0 holds 10, KV head 1 holds 20.
  const SmallCall call({.q_heads = 6, .kv_heads = 2, .kv_len = 2}, {1}, {1}, {10, 10, 20, 20});
  for_each_way([&](const Way& way) {
    CHECK_EQ(difference(call.run(way).out.values(), {10, 10, 10, 20, 20, 20}, 2e-5), "");
  });
}

TEST_CASE("two reasons to hide a key do not make it lower than one") {
  const std::uint8_t padding[] = {1, 0, 0};
  const SmallCall call({.q_len = 2, .kv_len = 3}, {0}, {1}, {1, 2, 3});
  for_each_way([&](const Way& way) {
    const Outputs outputs =
        call.run(way, {.key_mask = blocked_keys(padding, 1, 3), .position = Position::top_left(), .causal = true});
    CHECK_EQ(difference(outputs.out.values(), {0, 2}, near), "");
  });
}

TEST_CASE("equal keys weigh 1/kv_len, for every kv_len up to 300") {
  for_each_way([](const Way& way) {
    for (std::int64_t kv_len = 1; kv_len <= 300; ++kv_len) {
      const SmallCall call({.q_len = 2, .kv_len = kv_len, .head_dim = 4, .value_dim = 3}, {1, 0, 0.5f, 2, 0, 0, 0, 1},
                           {0.5f}, key_numbers(kv_len, 3));
      const Outputs outputs = call.run(way, {.scale = 0.5f});
      const auto count = static_cast<double>(kv_len);
      const double mean = (count - 1.0) / 2.0;
      CAPTURE(way.text());
      CAPTURE(kv_len);
      CHECK_EQ(difference(outputs.out.values(), {mean, mean + 1, mean + 2, mean, mean + 1, mean + 2}, 1e-6 * count),
               "");
      CHECK_EQ(difference(outputs.lse.values(), {0.875 + std::log(count), 0.25 + std::log(count)}, 6e-6), "");
    }
  });
}

TEST_CASE("a later query does not change what earlier queries read") {
  // q_len sets the number of outputs, kv_len only how far a query can read.
  for_each_way([](const Way& way) {
    for (const std::int64_t q_len : {1, 4, 16})
      for (const std::int64_t kv_len : {7, 11}) {
        const Outputs outputs = equal_scores(q_len, kv_len).run(way);
        CHECK_EQ(outputs.out.values().size(), static_cast<std::size_t>(q_len));
        for (const float value : outputs.out.values())
          CHECK(std::abs(value - static_cast<float>(kv_len - 1) / 2.0f) < 2e-6f);
      }
  });
}

}  // namespace heed::tests
