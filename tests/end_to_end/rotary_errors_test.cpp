// SPDX-License-Identifier: Apache-2.0
// Rotary positions: what mistakes are told, and that nothing is written then.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/rotary.hpp"
#include "support/rotary_table.hpp"

namespace heed::tests {

TEST_CASE("mistakes are named, and nothing is written") {
  Table table(3, 4);
  CHECK_EQ(said(fill_rotary_table({table.cosines.data(), table.sines.data(), 3, 3})),
           "table: width is 3, expected an even number of channels");
  CHECK_EQ(said(fill_rotary_table({table.cosines.data(), nullptr, 3, 4})),
           "table.sines: null pointer, expected the address of its elements");
  CHECK_EQ(said(fill_rotary_table({table.cosines.data(), table.sines.data(), -3, 4})),
           "table: positions is -3, expected 0 or more");
  CHECK_EQ(said(fill_rotary_table(table.table, -1.0)), "theta: -1, expected a finite number above 0");
  const std::vector<double> one = {1.0}, infinite = {1.0, std::numeric_limits<double>::infinity()};
  CHECK_EQ(said(fill_rotary_table(table.table, one)), "frequencies: 1 values, expected 2 (width / 2)");
  CHECK_EQ(said(fill_rotary_table(table.table, infinite)),
           "frequencies: value 1 is inf, expected finite angles to position 2");
  for (const float value : table.cosines) CHECK(std::isnan(value));
  REQUIRE(fill_rotary_table(table.table).ok());

  std::vector<float> x(2 * 3 * 4, 1.0f), out(x.size(), nan);
  const ConstTensor from = bhnd(static_cast<const float*>(x.data()), 2, 1, 3, 4);
  const Tensor to = bhnd(out.data(), 2, 1, 3, 4);
  const std::vector<std::int64_t> four = {0, 1, 2, 0}, far = {0, 1, 2, 0, -1, 2};
  CHECK_EQ(
      said(rotate(bhnd(static_cast<const float*>(x.data()), 2, 2, 3, 2), table.table, bhnd(out.data(), 2, 2, 3, 2))),
      "table: width is 4, expected at most 2 (head_dim)");
  CHECK_EQ(said(rotate(from, table.table, to, {.first_position = 1})),
           "positions: 3 of batch item 0, token 2, expected 0 to 2 (the table's last)");
  CHECK_EQ(said(rotate(from, table.table, to, {.positions = far})),
           "positions: -1 of batch item 1, token 1, expected 0 to 2 (the table's last)");
  CHECK_EQ(said(rotate(from, table.table, to, {.positions = four})),
           "positions: 4 values, expected 3 (tokens) or 6 (batch * tokens)");
  CHECK_EQ(said(rotate(from, table.table, to, {.threads = -2})),
           "threads: -2, expected 0 (as many as OpenMP would use) or more");
  CHECK_NE(said(rotate(from, table.table, bhnd(out.data(), 1, 2, 3, 4))).find("out"), std::string::npos);
  CHECK_NE(said(rotate(from, table.table, bhnd(x.data() + 1, 2, 1, 3, 4))).find("overlap"), std::string::npos);
  CHECK_NE(said(rotate(bhnd(static_cast<const float*>(nullptr), 2, 1, 3, 4), table.table, to)).find("x"),
           std::string::npos);
  CHECK_NE(said(rotate(bhnd(static_cast<const float*>(out.data()), 1, 1, 1, 4), table.table,
                       bhnd(table.cosines.data(), 1, 1, 1, 4)))
               .find("table.cosines"),
           std::string::npos);
  for (const float value : out) CHECK(std::isnan(value));
  CHECK_EQ(x, std::vector<float>(x.size(), 1.0f));
}

TEST_CASE("mistakes in a table's memory and angles are named, and nothing is written") {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  Table table(3, 4);
  std::vector<float> x(4, 1.0f), out(4, nan);
  const auto fill_says = [&](const RotaryTable& to, double theta = 1e4) { return said(fill_rotary_table(to, theta)); };
  float *const cosines = table.cosines.data(), *const sines = table.sines.data();
  CHECK_EQ(fill_says({cosines, sines, far, 4}),
           "table.cosines: dimension 2 is 2305843009213693952, expected sizes whose product in bytes fits 64 bits");
  CHECK_EQ(fill_says({nullptr, nullptr, 0, far}), "");  // no memory, no work
  CHECK_EQ(fill_says({cosines, cosines + 5, 3, 4}),
           "table.sines: overlaps table.cosines, expected memory apart from it");
  const auto shifted = [](float* from) { return reinterpret_cast<float*>(reinterpret_cast<char*>(from) + 1); };
  CHECK_NE(fill_says({cosines, shifted(sines), 2, 4}).find("table.sines: address"), std::string::npos);
  std::fill(table.cosines.begin(), table.cosines.end(), nan);
  for (const double theta : {0.0, static_cast<double>(nan), HUGE_VAL})
    CHECK_NE(fill_says(table.table, theta).find("expected a finite number above 0"), std::string::npos);
  std::vector<float> wide(2 * 4000, nan);  // its last frequencies are above the largest double
  CHECK_NE(fill_says({wide.data(), wide.data() + 4000, 2, 4000}, 5e-324).find("expected finite angles to position 1"),
           std::string::npos);
  for (const float value : wide) CHECK(std::isnan(value));
  const std::vector<double> near_the_end = {1.0, 1e308}, none;
  CHECK_EQ(said(fill_rotary_table(table.table, near_the_end)),
           "frequencies: value 1 is 1e+308, expected finite angles to position 2");
  CHECK_EQ(said(fill_rotary_table(table.table, none)), "frequencies: 0 values, expected 2 (width / 2)");
  CHECK_EQ(said(fill_rotary_table(table.table, {static_cast<const double*>(nullptr), 2})),
           "frequencies: null pointer, expected the address of its elements");
  for (const float value : table.cosines) CHECK(std::isnan(value));

  const ConstTensor from = bhnd(static_cast<const float*>(x.data()), 1, 1, 1, 4);
  const Tensor to = bhnd(out.data(), 1, 1, 1, 4);
  CHECK_EQ(said(rotate(from, {cosines, sines, far, 4}, to)),
           "table.cosines: dimension 2 is 2305843009213693952, expected sizes whose product in bytes fits 64 bits");
  CHECK_EQ(said(rotate(from, {cosines, nullptr, 3, 4}, to)),
           "table.sines: null pointer, expected the address of its elements");
  CHECK_NE(said(rotate(from, {shifted(cosines), sines, 2, 4}, to)).find("table.cosines: address"), std::string::npos);
  for (const float value : out) CHECK(std::isnan(value));
}

TEST_CASE("mistakes in positions, strides and overlaps are named, and nothing is written") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Table table(3, 4);
  REQUIRE(fill_rotary_table(table.table).ok());
  std::vector<float> x(64, 1.0f), out(64, nan);
  const ConstTensor from = bhnd(static_cast<const float*>(x.data()), 1, 2, 3, 4);
  const Tensor to = bhnd(out.data(), 1, 2, 3, 4);
  const auto says = [&](const ConstTensor& input, const Tensor& output, const RotaryOptions& options = {}) {
    return said(rotate(input, table.table, output, options));
  };
  const auto strided = [&](std::vector<float>& values, const Dims& strides) {
    return Tensor{values.data(), {1, 2, 3, 4}, strides};
  };
  const std::vector<std::int64_t> counted = {0, 1, 2};
  CHECK_EQ(says(from, to, {.positions = std::span(counted).first(0)}),
           "positions: 0 values, expected 3 (tokens) or 3 (batch * tokens)");
  CHECK_EQ(says(from, to, {.positions = {static_cast<const std::int64_t*>(nullptr), 3}}),
           "positions: null pointer, expected the address of its elements");
  for (const std::int64_t first : {most, most - 1, -most, std::int64_t{-1}, std::int64_t{3}})
    CHECK_EQ(says(from, to, {.first_position = first}),
             "positions: " + std::to_string(first) + " of batch item 0, token 0, expected 0 to 2 (the table's last)");
  CHECK_EQ(says(from, strided(out, {24, 12, 0, 1})),
           "out: stride 2 is 0 over a size of 3, expected an output that does not broadcast");
  CHECK_EQ(says(from, strided(out, {24, 12, 3, 1})),
           "out: stride 2 is 3 over a size of 3, expected more than the 3 elements that other strides reach");
  CHECK_EQ(says(from, strided(out, {24, 4, 4, 1})),
           "out: stride 1 is 4 over a size of 2, expected more than the 11 elements that other strides reach");
  CHECK_EQ(says(strided(x, {24, 12, 3, 1}), strided(x, {24, 12, 3, 1})),
           "out: stride 2 is 3 over a size of 3, expected more than the 3 elements that other strides reach");
  CHECK_EQ(says(strided(x, {24, 12, 4, 1}), strided(x, {24, 4, 8, 1})),
           "out: overlaps x, expected memory apart from it");
  CHECK_EQ(says(strided(x, {24, 12, most / 4, 1}), to),
           "x: stride 2 is 2305843009213693951 over a size of 3, expected byte offsets that fit 64 bits");
  for (const float value : out) CHECK(std::isnan(value));
  CHECK_EQ(x, std::vector<float>(x.size(), 1.0f));

  // Nothing to turn: no positions are needed, and no time.
  constexpr std::int64_t many = std::int64_t{1} << 60;
  const RotaryTable no_width = {nullptr, nullptr, many, 0};
  CHECK_EQ(said(rotate(bhnd(static_cast<const float*>(nullptr), 1, 1, many, 0), no_width,
                       bhnd(static_cast<float*>(nullptr), 1, 1, many, 0))),
           "");
  CHECK_EQ(says(from, to, {.threads = std::numeric_limits<int>::max()}), "");
}

}  // namespace heed::tests
