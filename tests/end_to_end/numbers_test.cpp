// SPDX-License-Identifier: Apache-2.0
// Accuracy as the header states it, and numbers at the ends of what float holds.
#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <string>

#include "support/near.hpp"
#include "support/random.hpp"
#include "support/run_options.hpp"
#include "support/small_call.hpp"
#include "support/tolerance.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> filled(std::int64_t count, Fill kind, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill(values, kind, random);
  return values;
}

double sum_of(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum;
}

void check_normal_inputs(std::int64_t q_len, const std::vector<std::int64_t>& kv_lens) {
  for (const std::int64_t head_dim : {16, 32, 64, 128})
    for (const std::int64_t kv_len : kv_lens) {
      Random random(run_options().seed + static_cast<std::uint64_t>(head_dim + kv_len));
      const SmallCall call({.q_len = q_len, .kv_len = kv_len, .head_dim = head_dim, .value_dim = 32},
                           filled(q_len * head_dim, Fill::normal, random),
                           filled(kv_len * head_dim, Fill::normal, random), filled(kv_len * 32, Fill::normal, random));
      const CheckedCall checked(call.call());
      for_each_way([&](const Way& way) {
        const Outputs outputs = call.run(way);
        CAPTURE(way.text());
        CAPTURE(head_dim);
        CAPTURE(kv_len);
        CHECK(checked.errors(outputs).largest < normal_out_tolerance(way.path));
        CHECK_EQ(checked.check(outputs, way.text()), "");
      });
    }
}

}  // namespace

TEST_CASE("standard normal inputs: the error is below 1e-6 from 100 keys on") {
  check_normal_inputs(48, {100, 257, 1000});
}

TEST_CASE("standard normal inputs: no row of 60,000 is off by 1e-6" * doctest::test_suite("slow")) {
  check_normal_inputs(3000, {100, 104, 160, 250, 600});
}

TEST_CASE("rows of weights sum to 1 within 1e-6, for 100,000 keys too") {
  for (const std::int64_t kv_len : {1, 1000, 8192, 100000})
    for (const Fill kind : {Fill::normal, Fill::equal, Fill::large}) {
      Random random(run_options().seed);
      const SmallCall call({.q_len = 2, .kv_len = kv_len, .head_dim = 8, .value_dim = 1}, filled(16, kind, random),
                           filled(kv_len * 8, Fill::normal, random), {1});
      for_each_way([&](const Way& way) {
        const Outputs outputs = call.run(way);
        CAPTURE(way.text());
        CAPTURE(kv_len);
        for (std::int64_t i = 0; i < 2; ++i) {
          double sum = 0.0;
          for (std::int64_t j = 0; j < kv_len; ++j) sum += static_cast<double>(outputs.weights.at(0, 0, i, j));
          CHECK(std::abs(sum - 1.0) < row_sum_tolerance);
        }
      });
    }
}

TEST_CASE("the error bound holds for 100,000 keys of equal weight and equal value") {
  // All rounding errors of a long sum in float point the same way here, and A is 0.
  for (const std::int64_t kv_len : {10000, 100000})
    for (const float value : {1.0f, 0.1f, 0.7f}) {
      const SmallCall call({.q_len = 2, .kv_len = kv_len, .head_dim = 8}, {0}, {1}, {value});
      const CheckedCall checked(call.call());
      for_each_way([&](const Way& way) {
        if (way.path == Path::onednn && kv_len > 10000) return;  // its bound ends there
        CHECK_EQ(checked.run(way, 1, false), "");
      });
    }
}

TEST_CASE("large, equal, one-hot and denormal inputs keep the error bound") {
  for (const Fill q_kind : {Fill::normal, Fill::large, Fill::equal, Fill::one_hot, Fill::denormal})
    for (const Fill v_kind : {Fill::normal, Fill::equal, Fill::one_hot}) {
      Random random(run_options().seed);
      const SmallCall call({.q_len = 30, .kv_len = 230, .head_dim = 24, .value_dim = 8},
                           filled(30 * 24, q_kind, random), filled(230 * 24, q_kind, random),
                           filled(230 * 8, v_kind, random));
      CHECK_EQ(CheckedCall(call.call()).run_everywhere({1}), "");
    }
}

TEST_CASE("huge scores: differences decide, and the largest weight is 1") {
  for_each_way([](const Way& way) {
    CAPTURE(way.text());
    // Two equal keys with a score of 1.6e11: a residue of s * scale - m * scale would be thousands.
    const SmallCall equal({.kv_len = 2, .head_dim = 80}, {133120}, {133120}, {1, 3});
    CHECK_EQ(difference(equal.run(way).out.values(), {2}, 0.0), "");
    // The same magnitude, apart by more than exp can hold.
    const SmallCall apart({.kv_len = 3}, {1e6f}, {1e6f, 2e6f, -1e6f}, {1, 3, 5});
    const Outputs outputs = apart.run(way, {.scale = 1.0f});
    CHECK_EQ(difference(outputs.weights.values(), {0, 1, 0}, 0.0), "");
    CHECK_EQ(difference(outputs.out.values(), {3}, 0.0), "");
    // All far below any sentinel: the softmax of 0, -1, -2.
    const SmallCall low({.kv_len = 3}, {1}, {-250000, -250001, -250002}, {1, 2, 4});
    CHECK_EQ(difference(low.run(way, {.scale = 1.0f}).out.values(), {1.5148202136}, 4e-6), "");
    // exp without subtracting the maximum overflows here.
    for (const float score : {88.5f, 89.0f, 151.25f}) {
      const SmallCall high({.kv_len = 2}, {1}, {score, score - 1.0f}, {0, 1});
      CHECK_EQ(difference(high.run(way, {.scale = 1.0f}).out.values(), {0.2689414214}, 4e-6), "");
    }
  });
}

TEST_CASE("a maximum that rises at every key, by little and by much") {
  for (const float step : {0.05f, 0.5f, 5.0f, 50.0f, 5000.0f}) {
    std::vector<float> keys;
    for (std::int64_t j = 0; j < 700; ++j) keys.push_back(step * static_cast<float>(j));
    const SmallCall call({.q_len = 2, .kv_len = 700, .value_dim = 2}, {1, 0.5f}, keys, key_numbers(700, 2));
    CHECK_EQ(CheckedCall(call.call({.scale = 1.0f})).run_everywhere({1}), "");
  }
}

TEST_CASE("denormal values are kept exactly") {
  // Equal weights of 2^-130 and 3 * 2^-130: 2^-129.
  const SmallCall call({.kv_len = 2}, {0}, {1}, {0x1p-130f, 0x3p-130f});
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(call.run(way).out.at(0, 0, 0, 0), 0x1p-129f);
  });
}

TEST_CASE("hidden keys weigh exactly 0, not the smallest float") {
  std::vector<std::uint8_t> cells(64, 1);
  cells[63] = 0;
  const SmallCall call({.kv_len = 64}, {1}, {1}, {1e38f});
  for_each_way([&](const Way& way) {
    const Outputs outputs = call.run(way, {.mask = blocked(cells.data(), {1, 1, 1, 64})});
    CAPTURE(way.text());
    for (std::int64_t j = 0; j < 63; ++j) CHECK_EQ(outputs.weights.at(0, 0, 0, j), 0.0f);
    CHECK_EQ(outputs.out.at(0, 0, 0, 0), 1e38f);
  });
}

TEST_CASE("hidden keys weigh exactly 0 in a row of NaNs too") {
  const std::uint8_t cells[] = {0, 1, 0};
  const SmallCall call({.kv_len = 3}, {nan}, {1}, {1, 2, 3});
  const Options options{.mask = blocked(cells, {1, 1, 1, 3})};
  const CheckedCall checked(call.call(options));
  for_each_way([&](const Way& way) {
    const Outputs outputs = call.run(way, options);
    CHECK_EQ(checked.check(outputs, way.text()), "");
    CAPTURE(way.text());
    CHECK_EQ(outputs.weights.values()[1], 0.0f);
    CHECK(std::isnan(outputs.weights.values()[0]));
  });
}

TEST_CASE("a visible score of plus infinity makes the row NaN; minus infinity counts as hidden") {
  for_each_way([](const Way& way) {
    CAPTURE(way.text());
    const auto out = [&](std::vector<float> keys) {
      const SmallCall call({.kv_len = 3}, {1}, std::move(keys), {1, 2, 4});
      return call.run(way, {.scale = 1.0f});
    };
    CHECK(std::isnan(out({0, infinity, 0}).out.at(0, 0, 0, 0)));
    CHECK(std::isnan(out({nan, 0, 0}).out.at(0, 0, 0, 0)));
    const Outputs hidden = out({0, -infinity, 0});
    CHECK_EQ(difference(hidden.out.values(), {2.5}, 1e-6), "");
    CHECK_EQ(hidden.weights.at(0, 0, 0, 1), 0.0f);
    const Outputs none = out({-infinity, -infinity, -infinity});
    CHECK_EQ(none.out.at(0, 0, 0, 0), 0.0f);
    CHECK_EQ(none.lse.at(0, 0, 0, 0), -infinity);
  });
}

TEST_CASE("the lowest finite float is a number, not a mask") {
  constexpr float lowest = std::numeric_limits<float>::lowest();
  const float some[] = {lowest, 0, lowest}, all[] = {lowest, lowest, lowest};
  const SmallCall call({.kv_len = 3}, {0}, {1}, {1, 2, 6});
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(difference(call.run(way, {.bias = bhnd(some, 1, 1, 1, 3)}).out.values(), {2}, 0.0), "");
    CHECK_EQ(difference(call.run(way, {.bias = bhnd(all, 1, 1, 1, 3)}).out.values(), {3}, 1e-6), "");
  });
}

TEST_CASE("a negative scale takes the maximum of the scaled scores") {
  const SmallCall call({.q_len = 2, .kv_len = 4}, {1, 2}, {100, -100, 0, 97.5f}, {1, 2, 4, 8});
  CHECK_EQ(CheckedCall(call.call({.scale = -1.0f})).run_everywhere({1}), "");
}

TEST_CASE("a sink of 100 against scores near 0, and one of minus infinity") {
  const SmallCall call({.kv_len = 3}, {0}, {1}, {1, 2, 6});
  const float high[] = {100}, none[] = {-infinity};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs outputs = call.run(way, {.sinks = high});
    CHECK_EQ(outputs.lse.at(0, 0, 0, 0), 100.0f);
    CHECK(sum_of(outputs.weights.values()) < 1e-40);
    CHECK_EQ(difference(call.run(way, {.sinks = none}).out.values(), {3}, 1e-6), "");
  });
}

TEST_CASE("a host that traps invalid operations and divisions by zero is not disturbed") {
  const SmallCall call({.q_len = 5, .kv_len = 17, .head_dim = 3, .value_dim = 3}, {0.5f}, {0.25f}, {1});
  const Call the_call = call.call();
  for_each_way([&](const Way& way) {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO);  // without effect on CPUs that cannot trap
    const Outputs outputs = run_call(the_call, way, 1, true);
    fedisableexcept(FE_ALL_EXCEPT);
    CHECK_EQ(CheckedCall(the_call).check(outputs, way.text()), "");
  });
}

TEST_CASE("half the keys hidden gives the answer of the other half") {
  // A clamped exp would leave weights of 1e-38 here.
  std::vector<std::uint8_t> cells(400);
  for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = j % 2 == 0 ? 0 : 1;
  std::vector<float> values(400);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = j % 2 == 0 ? 1.0f : 3e38f;
  const SmallCall call({.q_len = 3, .kv_len = 400}, {0, 1, 2}, {0.5f}, values);
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(difference(call.run(way, {.mask = blocked(cells.data(), {1, 1, 1, 400})}).out.values(), {1, 1, 1}, 1e-6),
             "");
  });
}

}  // namespace heed::tests
