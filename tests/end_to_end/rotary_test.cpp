// SPDX-License-Identifier: Apache-2.0
// Rotary positions: quarter turns by hand, against double, to the bit, in any strides. Mistakes:
// rotary_errors_test.cpp.
#include "heed/rotary.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/compare.hpp"
#include "support/near.hpp"
#include "support/random.hpp"
#include "support/rotary_table.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

std::vector<float> normal_values(std::int64_t count) {
  Random random(run_options().seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  fill(values, Fill::normal, random);
  return values;
}

}  // namespace

TEST_CASE("quarter turns") {
  Table quarter(4, 4);
  const std::vector<double> frequencies = {std::numbers::pi / 2, 0.0};
  REQUIRE_EQ(said(fill_rotary_table(quarter.table, frequencies)), "");
  std::vector<float> x = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5};
  std::vector<float> out(x.size(), nan);
  const ConstTensor from = bhnd(static_cast<const float*>(x.data()), 1, 1, 4, 5);
  const Tensor to = bhnd(out.data(), 1, 1, 4, 5);
  CHECK_EQ(said(rotate(from, quarter.table, to)), "");  // pairs (1, 3), which turns, and (2, 4)
  CHECK_EQ(difference(out, {1, 2, 3, 4, 5, -3, 2, 1, 4, 5, -1, 2, -3, 4, 5, 3, 2, -1, 4, 5}, 1e-6), "");
  CHECK_EQ(said(rotate(from, quarter.table, to, {.pairs = RotaryPairs::interleaved})), "");  // (1, 2) turns, (3, 4)
  CHECK_EQ(difference(out, {1, 2, 3, 4, 5, -2, 1, 3, 4, 5, -1, -2, 3, 4, 5, 2, -1, 3, 4, 5}, 1e-6), "");
}

TEST_CASE("the table is that of theta, rounded once") {
  Table table(3000, 6);
  REQUIRE_EQ(said(fill_rotary_table(table.table, 500.0)), "");
  for (std::int64_t p = 0; p < 3000; ++p)
    for (std::int64_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(p) * std::pow(500.0, -2.0 * static_cast<double>(i) / 6.0);
      const auto cell = static_cast<std::size_t>(p * 3 + i);
      REQUIRE_EQ(table.cosines[cell], static_cast<float>(std::cos(angle)));
      REQUIRE_EQ(table.sines[cell], static_cast<float>(std::sin(angle)));
    }
}

TEST_CASE("against double, in any strides, width, positions and number of threads; in place is out of place") {
  constexpr std::int64_t batch = 2, heads = 3, tokens = 150, head_dim = 44;
  const Dims shape = {batch, heads, tokens, head_dim};
  const std::vector<float> x = normal_values(batch * heads * tokens * head_dim);
  const ConstTensor from = bhnd(x.data(), batch, heads, tokens, head_dim);
  std::vector<std::int64_t> of_tokens, of_items;
  for (std::int64_t n = 0; n < tokens; ++n) of_tokens.push_back(n * 37 % 200);
  for (std::int64_t n = 0; n < batch * tokens; ++n) of_items.push_back(n * 53 % 200);
  const Dims layouts[] = {bhnd_strides(heads, tokens, head_dim),
                          bnhd_strides(heads, tokens, head_dim),
                          {2 * heads * tokens * head_dim, 2 * tokens * head_dim, 2 * head_dim, 2}};
  for (const std::int64_t width : {0, 2, 20, 44})
    for (const RotaryPairs pairs : {RotaryPairs::split_half, RotaryPairs::interleaved})
      for (const int kind : {0, 1, 2}) {
        CAPTURE(width);
        CAPTURE(kind);
        Table table(200, width);
        REQUIRE_EQ(said(fill_rotary_table(table.table)), "");
        RotaryOptions options = {.pairs = pairs, .threads = 1};
        if (kind == 0) options.first_position = 17;
        if (kind == 1) options.positions = of_tokens;
        if (kind == 2) options.positions = of_items;
        std::vector<float> plain(x.size(), nan);
        REQUIRE_EQ(said(rotate(from, table.table, bhnd(plain.data(), batch, heads, tokens, head_dim), options)), "");

        double worst = 0.0;
        for (std::int64_t row = 0; row < batch * heads * tokens; ++row) {
          const std::int64_t token = row % tokens, item = row / tokens / heads;
          const std::int64_t p = kind == 0   ? 17 + token
                                 : kind == 1 ? of_tokens[static_cast<std::size_t>(token)]
                                             : of_items[static_cast<std::size_t>(item * tokens + token)];
          const auto at = [&](const std::vector<float>& values, std::int64_t c) {
            return static_cast<double>(values[static_cast<std::size_t>(row * head_dim + c)]);
          };
          for (std::int64_t i = 0; i < width / 2; ++i) {
            const std::int64_t a = pairs == RotaryPairs::split_half ? i : 2 * i;
            const std::int64_t b = pairs == RotaryPairs::split_half ? i + width / 2 : 2 * i + 1;
            const double angle =
                static_cast<double>(p) * std::pow(1e4, -2.0 * static_cast<double>(i) / static_cast<double>(width));
            const double size = std::abs(at(x, a)) + std::abs(at(x, b));
            worst = std::max(worst,
                             std::abs(at(plain, a) - at(x, a) * std::cos(angle) + at(x, b) * std::sin(angle)) / size);
            worst = std::max(worst,
                             std::abs(at(plain, b) - at(x, b) * std::cos(angle) - at(x, a) * std::sin(angle)) / size);
          }
          for (std::int64_t c = width; c < head_dim; ++c) REQUIRE_EQ(at(plain, c), at(x, c));
        }
        CHECK(worst < std::ldexp(1.0, -22));

        for (const Dims& strides : layouts)
          for (const int threads : {1, 2, 8}) {
            std::vector<float> values(x.size() * 2, nan);
            const Tensor place = {values.data(), shape, strides};
            options.threads = threads;
            REQUIRE_EQ(said(rotate(from, table.table, place, options)), "");
            const auto read = [&] {
              std::vector<float> dense;
              for (std::int64_t n = 0; n < static_cast<std::int64_t>(x.size()); ++n) {
                const std::int64_t c = n % head_dim, token = n / head_dim % tokens,
                                   head = n / head_dim / tokens % heads;
                dense.push_back(
                    values[static_cast<std::size_t>(n / head_dim / tokens / heads * strides[0] + head * strides[1] +
                                                    token * strides[2] + c * strides[3])]);
              }
              return dense;
            };
            REQUIRE_EQ(first_difference("out", read(), plain), "");
            // Once more in place: what turning the plain answer again gives.
            std::vector<float> twice(x.size(), nan);
            REQUIRE_EQ(said(rotate(bhnd(static_cast<const float*>(plain.data()), batch, heads, tokens, head_dim),
                                   table.table, bhnd(twice.data(), batch, heads, tokens, head_dim), options)),
                       "");
            REQUIRE_EQ(said(rotate(place, table.table, place, options)), "");
            REQUIRE_EQ(first_difference("in place", read(), twice), "");
          }
      }
}

TEST_CASE("products are rounded before they are added: the same bits from any compiler, on any CPU") {
  constexpr std::int64_t tokens = 50;
  const auto product = [](float a, float b) {
    const volatile float rounded = a * b;  // this file may be compiled with contraction
    return rounded;
  };
  for (const std::int64_t width : {2, 6, 16, 22, 64})
    for (const RotaryPairs pairs : {RotaryPairs::split_half, RotaryPairs::interleaved})
      for (const std::int64_t channel : {1, 2}) {
        CAPTURE(width);
        CAPTURE(channel);
        Table table(tokens, width);
        REQUIRE_EQ(said(fill_rotary_table(table.table)), "");
        const std::vector<float> x = normal_values(tokens * width * channel);
        std::vector<float> out(x.size(), nan), wanted(out);
        const Dims shape = {1, 1, tokens, width}, strides = {0, 0, width * channel, channel};
        REQUIRE_EQ(
            said(rotate({x.data(), shape, strides}, table.table, {out.data(), shape, strides}, {.pairs = pairs})), "");
        for (std::int64_t pair = 0; pair < tokens * width / 2; ++pair) {
          const std::int64_t token = pair / (width / 2), i = pair % (width / 2);
          const bool is_split = pairs == RotaryPairs::split_half;
          const auto a = static_cast<std::size_t>((token * width + (is_split ? i : 2 * i)) * channel);
          const auto b = a + static_cast<std::size_t>((is_split ? width / 2 : 1) * channel);
          const float cosine = table.cosines[static_cast<std::size_t>(pair)];
          const float sine = table.sines[static_cast<std::size_t>(pair)];
          wanted[a] = product(x[a], cosine) - product(x[b], sine);
          wanted[b] = product(x[b], cosine) + product(x[a], sine);
        }
        REQUIRE_EQ(first_difference("out", out, wanted), "");
      }
}

TEST_CASE("the product of a query and a key depends on their distance alone") {
  Table table(600, 16);
  REQUIRE_EQ(said(fill_rotary_table(table.table)), "");
  const std::vector<float> both = normal_values(32);
  const std::vector<float> q(both.begin(), both.begin() + 16), k(both.begin() + 16, both.end());
  const auto product = [&](std::int64_t p, std::int64_t distance) {
    std::vector<float> turned_q(16), turned_k(16);
    (void)rotate(bhnd(q.data(), 1, 1, 1, 16), table.table, bhnd(turned_q.data(), 1, 1, 1, 16),
                 {.first_position = p + distance});
    (void)rotate(bhnd(k.data(), 1, 1, 1, 16), table.table, bhnd(turned_k.data(), 1, 1, 1, 16), {.first_position = p});
    double sum = 0.0;
    for (std::size_t c = 0; c < 16; ++c) sum += static_cast<double>(turned_q[c]) * static_cast<double>(turned_k[c]);
    return sum;
  };
  for (const std::int64_t distance : {0, 1, 30})
    for (const std::int64_t p : {1, 100, 500})
      CHECK(product(p, distance) == doctest::Approx(product(0, distance)).epsilon(1e-5));
  CHECK(std::abs(product(0, 1) - product(0, 0)) > 1e-3);
}

}  // namespace heed::tests
