// SPDX-License-Identifier: Apache-2.0
// What a hidden key may hold, rows that see nothing under every rule, and where rules meet.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/compare.hpp"
#include "support/hidden_keys.hpp"
#include "support/near.hpp"
#include "support/small_call.hpp"
#include "support/tolerance.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Every rule alone, some together, over several key tiles.
constexpr const char* masked_specs[] = {
    "b=2 h=4:2 n=30:210 d=16:16 position=top_left causal",
    "b=2 h=2:2 n=30:30 d=16:16 position=-12 causal",
    "b=2 h=2:2 n=210:210 d=16:16 position=-60 window=7:4",
    "b=3 h=2:2 n=9:210 d=16:16 lengths",
    "b=4 h=2:1 n=9:210 d=16:16 key_mask=blocked",
    "b=2 h=2:2 n=5:210 d=16:16 key_mask=allowed key_hidden=40",
    "b=2 h=2:2 n=2:210 d=16:16 mask=blocked:1:1:1:210 hidden=60",
    "b=2 h=2:2 n=2:210 d=16:16 bias=2:2:1:210 bias_hidden=50",
    // V by columns and V with gaps: what the onednn path reads in its place must lie likewise.
    ("b=3 h=6:2 n=1:7 d=11:11 scale=0.1 mask=blocked:1:1:1:7 position=top_left window=0:4 v=-77:231:1:7 out=bnhd "
     "seed=75008964 fill=large hidden=50"),
    ("b=3 h=7:1 n=46:46 d=20:1 scale=0.1 slopes mask=allowed:3:7:46:46 causal window=3:30 v=50:46:1:1 seed=174239176 "
     "fill=equal hidden=95"),
    ("b=2 h=4:2 n=3:210 d=16:16 cap=4 bias=1:1:3:210 slopes sinks key_mask=blocked lengths mask=allowed:2:4:3:210 "
     "position=per_batch causal window=60:0 hidden=50 bias_hidden=40"),
};

struct Prepared {
  explicit Prepared(const std::string& text) : workload(parse(text)) {}
  static perf::Spec parse(const std::string& text) {
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(text, spec), "");
    return spec;
  }
  perf::Workload workload;
};

// NaN in one element of key j of every head.
void put_nan(const Tensor& tensor, std::int64_t j) {
  for_each_element({tensor.shape[0], tensor.shape[1], 1, 1}, [&](auto b, auto h, auto, auto) {
    static_cast<float*>(tensor.data)[element_offset(tensor.shape, tensor.strides, {b, h, j, 0})] = nan;
  });
}

std::string bits_differ(const Outputs& got, const Outputs& wanted) {
  return first_difference("out", got.out.values(), wanted.out.values()) +
         first_difference("lse", got.lse.values(), wanted.lse.values()) +
         first_difference("weights", got.weights.values(), wanted.weights.values());
}

}  // namespace

TEST_CASE("NaN and infinity in K and V of keys that no row sees change no bit") {
  for (const char* spec : masked_specs) {
    const Prepared clean(spec);
    Prepared dirty(spec);
    const std::int64_t hidden = poison_hidden_keys(dirty.workload);
    CAPTURE(std::string(spec));
    CHECK(hidden > 0);
    for_each_way([&](const Way& way) {
      CAPTURE(way.text());
      const Outputs wanted = run_call(call_of(clean.workload), way, 1, true);
      const Outputs got = run_call(call_of(dirty.workload), way, 1, true);
      REQUIRE(got.status.ok());
      CHECK_EQ(bits_differ(got, wanted), "");
    });
  }
}

TEST_CASE("NaN in a key reaches the rows that see it and no bit of the others") {
  for (const char* spec :
       {"b=1 h=2:1 n=40:40 d=16:16 causal", "b=1 h=2:2 n=40:210 d=16:16 mask=blocked:1:2:40:210 hidden=50",
        "b=1 h=2:2 n=210:210 d=8:8 window=3:3", "b=1 h=2:2 n=40:210 d=16:16 bias=1:2:40:210 bias_hidden=50"}) {
    for (const bool in_k : {true, false}) {
      const Prepared clean(spec), dirty(spec);
      const perf::Spec& sizes = clean.workload.spec;
      const std::int64_t bad = sizes.kv_len * 3 / 4;
      put_nan(in_k ? dirty.workload.k : dirty.workload.v, bad);
      const Oracle oracle(clean.workload.q, clean.workload.k, clean.workload.v, clean.workload.options);
      for_each_way([&](const Way& way) {
        CAPTURE(std::string(spec));
        CAPTURE(way.text());
        CAPTURE(in_k);
        const Outputs wanted = run_call(call_of(clean.workload), way, 1, false);
        const Outputs got = run_call(call_of(dirty.workload), way, 1, false);
        for_each_element(got.lse.shape(), [&](auto b, auto h, auto i, auto) {
          const bool is_reached = oracle.is_visible(b, h, i, bad);
          REQUIRE_EQ(std::isnan(got.out.at(b, h, i, 0)), is_reached);
          if (is_reached) return;
          for (std::int64_t c = 0; c < sizes.value_dim; ++c)
            REQUIRE_EQ(got.out.at(b, h, i, c), wanted.out.at(b, h, i, c));
          REQUIRE_EQ(got.lse.at(b, h, i, 0), wanted.lse.at(b, h, i, 0));
        });
      });
    }
  }
}

TEST_CASE("NaN in a query reaches its own row only") {
  const Prepared clean("b=1 h=2:2 n=40:70 d=16:16"), dirty("b=1 h=2:2 n=40:70 d=16:16");
  *(static_cast<float*>(dirty.workload.q.data) + 17 * 16 + 3) = nan;  // row 17 of head 0
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs wanted = run_call(call_of(clean.workload), way, 1, false);
    const Outputs got = run_call(call_of(dirty.workload), way, 1, false);
    for_each_element(got.out.shape(), [&](auto b, auto h, auto i, auto c) {
      if (h == 0 && i == 17)
        REQUIRE(std::isnan(got.out.at(b, h, i, c)));
      else
        REQUIRE_EQ(got.out.at(b, h, i, c), wanted.out.at(b, h, i, c));
    });
  });
}

TEST_CASE("a row emptied by any rule is zero, and its neighbour is not") {
  constexpr std::int64_t kv_len = 130;
  const SmallCall call({.q_len = 2, .kv_len = kv_len, .head_dim = 4, .value_dim = 3}, {1, 2, -1, 0.5f, 0.25f, 1, 1, -2},
                       {0.5f}, key_numbers(kv_len, 3));
  std::vector<std::uint8_t> cells(2 * kv_len, 0);
  std::vector<float> bias(2 * kv_len, 0.0f);
  for (std::size_t n = kv_len; n < 2 * kv_len; ++n) cells[n] = 1, bias[n] = -infinity;
  const std::vector<std::uint8_t> no_first(cells.begin(), cells.begin() + kv_len), all(kv_len, 1);
  std::vector<std::uint8_t> only_first(kv_len, 1);
  only_first[0] = 0;
  const std::int64_t none[] = {0}, one[] = {1};

  struct Row {
    const char* name;
    Options options;
    std::int64_t empty_row;  // -1: both
  };
  const Row rows[] = {
      {"pairwise mask", {.mask = blocked(cells.data(), {1, 1, 2, kv_len})}, 1},
      {"bias", {.bias = bhnd(static_cast<const float*>(bias.data()), 1, 1, 2, kv_len)}, 1},
      {"causal", {.position = Position::offset(-1), .causal = true}, 0},
      {"window", {.position = Position::offset(kv_len - 1), .window = {0, 0}}, 1},
      {"window and lengths", {.lengths = one, .position = Position::top_left(), .window = {0, 0}}, 1},
      {"window and key padding",
       {.key_mask = blocked_keys(only_first.data(), 1, kv_len), .position = Position::top_left(), .window = {0, 0}},
       1},
      {"lengths", {.lengths = none}, -1},
      {"key padding", {.key_mask = blocked_keys(all.data(), 1, kv_len)}, -1},
  };
  for (const Row& row : rows)
    for_each_way([&](const Way& way) {
      CAPTURE(std::string(row.name));
      CAPTURE(way.text());
      const Call the_call = call.call(row.options);
      const Outputs outputs = run_call(the_call, way, 1, true);
      REQUIRE_EQ(CheckedCall(the_call).check(outputs, way.text()), "");
      for (std::int64_t i = 0; i < 2; ++i) {
        const bool is_empty = row.empty_row == -1 || row.empty_row == i;
        CHECK_EQ(outputs.lse.at(0, 0, i, 0) == -infinity, is_empty);
        CHECK_EQ(outputs.out.at(0, 0, i, 1) == 0.0f, is_empty);
      }
    });
}

TEST_CASE("a head whose rows see nothing is zero with weights and without, and the others stay") {
  std::vector<std::uint8_t> cells(3 * 16, 0);
  for (std::size_t n = 32; n < 48; ++n) cells[n] = 1;
  const Prepared prepared("b=1 h=3:3 n=4:4 d=8:8");
  Call call = call_of(prepared.workload);
  const Call open = call;
  call.options.mask = blocked(cells.data(), {1, 3, 4, 4});
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs with = run_call(call, way, 1, true), without = run_call(call, way, 1, false),
                  all = run_call(open, way, 1, false);
    CHECK_EQ(with.out.values(), without.out.values());
    for_each_element(with.out.shape(), [&](auto b, auto h, auto i, auto c) {
      CHECK_EQ(with.out.at(b, h, i, c), h == 2 ? 0.0f : all.out.at(b, h, i, c));
    });
  });
}

TEST_CASE("decode: the newest key can be hidden, and keys far along a mask are") {
  for (const std::int64_t kv_len : {8, 600, 1000, 4095}) {
    const std::int64_t visible = kv_len == 600 ? 513 : kv_len - 1;
    const SmallCall call({.kv_len = kv_len}, {0}, {1}, key_numbers(kv_len));
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(kv_len), 0);
    for (std::int64_t j = visible; j < kv_len; ++j) cells[static_cast<std::size_t>(j)] = 1;
    for_each_way([&](const Way& way) {
      CAPTURE(way.text());
      CAPTURE(kv_len);
      const double mean = static_cast<double>(visible - 1) / 2.0;
      const double tolerance = normal_out_tolerance(way.path) * mean;
      const Outputs by_mask = call.run(way, {.mask = blocked(cells.data(), {1, 1, 1, kv_len})});
      CHECK_EQ(difference(by_mask.out.values(), {mean}, tolerance), "");
      CHECK_EQ(by_mask.weights.at(0, 0, 0, kv_len - 1), 0.0f);
      const Outputs by_padding = call.run(way, {.key_mask = blocked_keys(cells.data(), 1, kv_len)});
      CHECK_EQ(difference(by_padding.out.values(), {mean}, tolerance), "");
    });
  }
}

TEST_CASE("lengths do not move positions: a ragged cache gives its own offsets") {
  const SmallCall call({.batch = 2, .q_len = 2, .kv_len = 6}, {0}, {1}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  const std::int64_t lengths[] = {6, 3}, offsets[] = {4, 1};
  for_each_way([&](const Way& way) {
    CAPTURE(way.text());
    const Outputs fixed = call.run(way, {.lengths = lengths, .position = Position::bottom_right(), .causal = true});
    CHECK_EQ(difference(fixed.out.values(), {2, 2.5, 1, 1}, 1e-6), "");
    const Outputs ragged = call.run(way, {.lengths = lengths, .position = Position::offsets(offsets), .causal = true});
    CHECK_EQ(difference(ragged.out.values(), {2, 2.5, 0.5, 1}, 1e-6), "");
  });
}

TEST_CASE("positions at the ends of 64 bits are right") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                         highest = std::numeric_limits<std::int64_t>::max();
  const SmallCall call({.q_len = 3, .kv_len = 200}, {0}, {1}, key_numbers(200));
  const float slope[] = {1e-20f};
  for (const std::int64_t offset : {lowest, highest - 2}) {
    for_each_way([&](const Way& way) {
      CAPTURE(way.text());
      CAPTURE(offset);
      const auto right = [&](const Options& options) {
        const Call the_call = call.call(options);
        return CheckedCall(the_call).check(run_call(the_call, way, 1, true), way.text());
      };
      const Position position = Position::offset(offset);
      CHECK_EQ(right({.position = position, .causal = true}), "");
      CHECK_EQ(right({.position = position, .window = {highest, highest}}), "");
      CHECK_EQ(right({.position = position, .window = {3, 3}}), "");
      CHECK_EQ(right({.slopes = slope, .position = position}), "");
    });
  }
}

TEST_CASE("inducing points: one set of queries for every batch item, read and written back") {
  CHECK_EQ(run_spec_everywhere("b=3 h=4:4 n=8:120 d=16:16 q=0:128:16:1"), "");
  CHECK_EQ(run_spec_everywhere("b=3 h=4:4 n=120:8 d=16:16 k=128:32:16:1"), "");
}

}  // namespace heed::tests
