// SPDX-License-Identifier: Apache-2.0
// Every cell of every rule and of their combinations on small sizes: allows() is the rule as written
// out here, and agrees with the span it is lowered to.
#include "mask/mask.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "support/random.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// The rules over positions; long double holds sums of any three 64-bit integers.
bool position_allows(const Visibility& rules, std::int64_t i, std::int64_t j) {
  const long double p = static_cast<long double>(i) + static_cast<long double>(rules.offset);
  const auto key = static_cast<long double>(j);
  if (rules.causal && !(key <= p)) return false;
  if (rules.window_left >= 0 && !(p - static_cast<long double>(rules.window_left) <= key)) return false;
  if (rules.window_right >= 0 && !(key <= p + static_cast<long double>(rules.window_right))) return false;
  return true;
}

// keys_of_row() holds exactly the keys that positions allow, and stays within [0, kv_len).
void check_row_span(const Visibility& rules, std::int64_t i) {
  const KeySpan span = rules.keys_of_row(0, i);
  std::int64_t inside = 0;
  for (std::int64_t j = 0; j < rules.kv_len; ++j) {
    const bool is_inside = span.begin <= j && j < span.end;
    inside += is_inside ? 1 : 0;
    REQUIRE_EQ(is_inside, position_allows(rules, i, j));
    REQUIRE_EQ(rules.allows(0, 0, i, j), is_inside);
  }
  REQUIRE_EQ(inside, span.end - span.begin);  // nothing of the span lies beyond the keys
}

}  // namespace

TEST_CASE("an intersection without keys is the empty span") {
  CHECK_EQ(intersection({2, 7}, {5, 9}), KeySpan{5, 7});
  CHECK(intersection({2, 5}, {5, 9}).is_empty());
  CHECK_EQ(intersection({2, 5}, {6, 9}), KeySpan{});
}

TEST_CASE("causal and window: every cell agrees with the rule and with the span") {
  for (std::int64_t kv_len = 0; kv_len <= 6; ++kv_len)
    for (std::int64_t offset = -8; offset <= 8; ++offset)
      for (std::int64_t left = -1; left <= 4; ++left)
        for (std::int64_t right = -1; right <= 4; ++right)
          for (const bool causal : {false, true})
            for (std::int64_t i = 0; i <= 5; ++i) {
              Visibility rules;
              rules.kv_len = kv_len;
              rules.offset = offset;
              rules.window_left = left;
              rules.window_right = right;
              rules.causal = causal;
              check_row_span(rules, i);
            }
}

TEST_CASE("positions and bounds at the ends of 64 bits do not wrap") {
  const std::int64_t extremes[] = {lowest, lowest + 1, -3, 0, 2, highest - 1, highest};
  const std::int64_t bounds[] = {-1, 0, 1, std::numeric_limits<std::int32_t>::max(), highest - 1, highest};
  for (const std::int64_t offset : extremes)
    for (const std::int64_t left : bounds)
      for (const std::int64_t right : bounds)
        for (const bool causal : {false, true})
          for (const std::int64_t i : {0, 1, 6}) {
            // i + offset beyond 64 bits is as far as it gets: p stops at the end, and so does the expectation.
            if (offset > highest - i) continue;
            Visibility rules;
            rules.kv_len = 5;
            rules.offset = offset;
            rules.window_left = left;
            rules.window_right = right;
            rules.causal = causal;
            check_row_span(rules, i);
          }
}

TEST_CASE("a position beyond 64 bits stops at the end") {
  Visibility rules;
  rules.kv_len = 4;
  rules.offset = highest;
  CHECK_EQ(rules.position(0, 5), highest);
  rules.causal = true;
  CHECK_EQ(rules.keys_of_row(0, 5), KeySpan{0, 4});
}

TEST_CASE("every batch item has its own offset") {
  const std::vector<std::int64_t> offsets = {-1, 0, 3};
  Visibility rules;
  rules.kv_len = 6;
  rules.causal = true;
  rules.offsets = offsets.data();
  CHECK(rules.keys_of_row(0, 0).is_empty());
  CHECK_EQ(rules.keys_of_row(1, 0), KeySpan{0, 1});
  CHECK_EQ(rules.keys_of_row(2, 1), KeySpan{0, 5});
}

TEST_CASE("lengths and key padding: the hull is the smallest span with every visible key") {
  for (std::int64_t kv_len = 0; kv_len <= 6; ++kv_len)
    for (std::int64_t length = 0; length <= kv_len; ++length)
      for (unsigned pattern = 0; pattern < 1u << kv_len; ++pattern)
        for (const bool true_is_allowed : {false, true}) {
          // Cells lie two apart, and any non-zero byte is true.
          std::vector<std::uint8_t> cells(static_cast<std::size_t>(2 * kv_len + 1), 0x55);
          for (std::int64_t j = 0; j < kv_len; ++j)
            cells[static_cast<std::size_t>(2 * j)] = (pattern >> j & 1u) != 0 ? 0x80 : 0;
          Visibility rules;
          rules.kv_len = kv_len;
          rules.lengths = &length;
          rules.key_mask = cells.data();
          rules.key_mask_key = 2;
          rules.key_mask_true_is_allowed = true_is_allowed;
          KeySpan smallest;
          for (std::int64_t j = 0; j < kv_len; ++j) {
            const bool is_visible = j < length && ((pattern >> j & 1u) != 0) == true_is_allowed;
            REQUIRE_EQ(rules.allows(0, 0, 0, j), is_visible);
            if (is_visible) smallest = {smallest.is_empty() ? j : smallest.begin, j + 1};
          }
          REQUIRE_EQ(rules.keys_of_batch(0), smallest);
        }
}

TEST_CASE("all rules together: visible is inside the span and allowed by both cells") {
  Random random(run_options().seed);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::int64_t batch = random.between(1, 2), heads = random.between(1, 2), q_len = random.between(1, 4);
    const std::int64_t kv_len = random.between(1, 7);
    std::vector<std::int64_t> lengths, offsets;
    for (std::int64_t b = 0; b < batch; ++b) {
      lengths.push_back(random.between(0, kv_len));
      offsets.push_back(random.between(-4, 4));
    }
    std::vector<std::uint8_t> key_cells, cells;
    for (std::int64_t n = 0; n < batch * kv_len; ++n) key_cells.push_back(random.chance(0.6) ? 1 : 0);
    for (std::int64_t n = 0; n < batch * heads * q_len * kv_len; ++n) cells.push_back(random.chance(0.6) ? 1 : 0);

    Visibility rules;
    rules.kv_len = kv_len;
    rules.causal = random.chance(0.5);
    rules.window_left = random.between(-1, 3);
    rules.window_right = random.between(-1, 3);
    rules.offsets = offsets.data();
    rules.lengths = lengths.data();
    rules.key_mask = key_cells.data();
    rules.key_mask_batch = kv_len;
    rules.key_mask_key = 1;
    rules.key_mask_true_is_allowed = random.chance(0.5);
    rules.mask = cells.data();
    rules.mask_strides = bhnd_strides(heads, q_len, kv_len);
    rules.mask_true_is_allowed = random.chance(0.5);

    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t i = 0; i < q_len; ++i) {
        const KeySpan span = rules.visible_keys(b, i);
        REQUIRE(span.begin >= 0);
        REQUIRE(span.end <= kv_len);
        Visibility row = rules;
        row.offsets = nullptr;
        row.offset = offsets[static_cast<std::size_t>(b)];
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t j = 0; j < kv_len; ++j) {
            const bool key_cell = key_cells[static_cast<std::size_t>(b * kv_len + j)] != 0;
            const bool cell = cells[static_cast<std::size_t>(((b * heads + h) * q_len + i) * kv_len + j)] != 0;
            const bool cells_allow = key_cell == rules.key_mask_true_is_allowed && cell == rules.mask_true_is_allowed;
            const bool is_visible =
                position_allows(row, i, j) && j < lengths[static_cast<std::size_t>(b)] && cells_allow;
            REQUIRE_EQ(rules.allows(b, h, i, j), is_visible);
            REQUIRE_EQ(span.begin <= j && j < span.end && cells_allow, is_visible);
          }
      }
  }
}

}  // namespace heed::tests
