// SPDX-License-Identifier: Apache-2.0
// attention_classes(): by hand, against the oracle and the call with a dense V on every named call, and its errors.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "support/cases.hpp"
#include "support/class_call.hpp"
#include "support/compare.hpp"
#include "support/hidden_keys.hpp"
#include "support/near.hpp"
#include "support/small_call.hpp"
#include "support/tolerance.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Every way that reads classes.
template <class Body>
void for_each_class_way(const Body& body) {
  for_each_way([&](const Way& way) {
    if (way.path != Path::onednn) body(way);
  });
}

perf::Spec parsed(const std::string& text) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec(text, spec), "");
  return spec;
}

// "" or what is wrong: with any way, any of the thread counts, with weights or without.
std::string run_by_class(const std::string& text, const std::vector<int>& threads, bool is_normal = false) {
  const perf::Workload workload(parsed(text));
  std::string problem;
  for (const Edge edge : {Edge::end, Edge::begin}) {
    const ClassCall call(call_of(workload), 7, edge);
    const CheckedCall checked(call.dense());
    for_each_class_way([&](const Way& way) {
      std::vector<float> first;
      for (const int count : threads)
        for (const bool wants_weights : {false, true}) {
          if (!problem.empty()) return;
          const std::string how = way.text() + ", threads " + std::to_string(count);
          const Outputs outputs = call.run(way, count, wants_weights, edge);
          problem = checked.check(outputs, how);
          if (!problem.empty()) return;
          if (first.empty()) first = outputs.out.values();
          problem = first_difference((how + ": out").c_str(), outputs.out.values(), first);
          if (is_normal && checked.errors(outputs).largest > normal_out_tolerance(way.path))
            problem += how + ": off by " + std::to_string(1e6 * checked.errors(outputs).largest) + "e-6";
        }
      const std::vector<float> dense = run_call(call.dense(), way, 1, false).out.values();
      if (is_normal && problem.empty())
        for (std::size_t n = 0; n < dense.size(); ++n)
          if (!(std::abs(dense[n] - first[n]) <= 1e-6f)) problem = way.text() + ": unlike the call with a V";
    });
  }
  return problem;
}

// One row, four keys of one channel: scores 0, log 2, 0 and log 4 are weights 1, 2, 1 and 4 of 8.
struct HandCall {
  SmallCall call{{.kv_len = 4, .value_dim = 3}, {1.0f}, {0.0f, std::log(2.0f), 0.0f, std::log(4.0f)}, {0.0f}};
  std::vector<std::int32_t> labels = {2, 0, 2, 1};

  Outputs run(const Way& way, const Options& options = {}) const {
    return run_call(call.call(options), way, 1, true, Edge::end, class_indices(labels.data(), 1, 4));
  }
};

}  // namespace

TEST_CASE("classes: weights by hand, added up by class") {
  const HandCall hand;
  const std::uint8_t last_is_blocked[4] = {0, 0, 0, 1};
  const std::vector<std::int64_t> two = {2};
  for_each_class_way([&](const Way& way) {
    CAPTURE(way.text());
    CHECK_EQ(difference(hand.run(way).out.values(), {0.25, 0.5, 0.25}, 1e-6), "");
    CHECK_EQ(difference(hand.run(way).weights.values(), {0.125, 0.25, 0.125, 0.5}, 1e-6), "");
    CHECK_EQ(difference(hand.run(way).lse.values(), {std::log(8.0)}, 1e-6), "");
    CHECK_EQ(difference(hand.run(way, {.key_mask = blocked_keys(last_is_blocked, 1, 4)}).out.values(), {0.5, 0.0, 0.5},
                        1e-6),
             "");
    CHECK_EQ(difference(hand.run(way, {.lengths = two}).out.values(), {2.0 / 3.0, 0.0, 1.0 / 3.0}, 1e-6), "");
  });
}

TEST_CASE("classes: every named call, against the oracle") {
  for (const NamedSpec& named : named_specs) {
    if (parsed(named.spec).value_dim == 0) continue;
    CAPTURE(named.name);
    CHECK_EQ(run_by_class(named.spec, {1, 2}), "");
  }
}

TEST_CASE("classes: any number of classes and keys") {
  for (const char* spec : {
           "b=1 h=2:2 n=70:300 d=64:160",
           "b=2 h=6:6 n=30:1100 d=64:10 scale=0.2",
           "b=1 h=3:1 n=50:400 d=32:2",
           "b=1 h=1:1 n=150:600 d=16:1",
           "b=1 h=1:1 n=30:130 d=16:700",
           "b=1 h=2:2 n=130:1500 d=64:33",
           "b=1 h=2:1 n=3:129 d=64:160",
           // Keys in parts, one row and several.
           "b=1 h=2:2 n=1:3000 d=64:160",
           "b=2 h=2:1 n=25:2500 d=16:7",
           // Row tiles that take turns at key tiles.
           "b=1 h=1:1 n=200:2100 d=64:160",
       }) {
    CAPTURE(spec);
    CHECK_EQ(run_by_class(spec, {1, 2, 8}, true), "");
  }
}

TEST_CASE("classes: keys of one class add up to 1, and exactly nothing goes to others") {
  const perf::Workload workload(parsed("b=1 h=1:1 n=40:5000 d=64:3"));
  const ClassCall call(call_of(workload), 1);
  std::ranges::fill(call.indices(), 1);
  for_each_class_way([&](const Way& way) {
    const Outputs outputs = call.run(way, 1, false);
    for (std::int64_t i = 0; i < 40; ++i) {
      CHECK_EQ(outputs.out.at(0, 0, i, 0), 0.0f);
      CHECK_EQ(static_cast<double>(outputs.out.at(0, 0, i, 1)), doctest::Approx(1.0).epsilon(1e-6));
      CHECK_EQ(outputs.out.at(0, 0, i, 2), 0.0f);
    }
  });
}

TEST_CASE("classes: NaN and infinity in hidden keys reach no row, and in a visible one every class of it") {
  // Between visible ones, where their weights are computed, and beyond all that is read.
  for (const char* spec : {"b=3 h=2:2 n=20:230 d=16:9 lengths key_mask=blocked key_hidden=30",
                           "b=2 h=4:2 n=40:100 d=16:20 mask=blocked:2:1:1:100 hidden=40",
                           "b=1 h=2:1 n=9:2300 d=16:5 bias=1:1:1:2300 bias_hidden=20",
                           "b=2 h=4:2 n=40:100 d=16:20 position=top_left causal"}) {
    perf::Workload workload(parsed(spec));
    const ClassCall call(call_of(workload), 3);
    const CheckedCall checked(call.dense());
    REQUIRE(poison_hidden_keys(workload) > 0);
    for_each_class_way([&](const Way& way) {
      CAPTURE(spec);
      CHECK_EQ(checked.check(call.run(way, 2, true), way.text()), "");
    });
  }
  for (const float bad : {nan, infinity}) {
    HandCall hand;
    hand.call.k[1] = bad;
    for_each_class_way([&](const Way& way) {
      for (const float value : hand.run(way).out.values()) CHECK(std::isnan(value));
    });
  }
}

TEST_CASE("classes: batch items may share them, in any strides") {
  const perf::Workload workload(parsed("b=3 h=2:2 n=20:50 d=16:5"));
  const ClassCall each(call_of(workload), 5);
  for (std::size_t key = 0; key < 150; ++key) each.indices()[key] = each.indices()[key % 50];
  GuardedBuffer<std::int32_t> apart(99);
  for (std::size_t key = 0; key < 50; ++key) apart[2 * key] = each.indices()[key];
  for_each_class_way([&](const Way& way) {
    const std::vector<float> wanted = each.run(way, 1, false).out.values();
    for (const ClassIndices& shared :
         {ClassIndices{each.indices().data(), {1, 50}, {0, 1}}, ClassIndices{each.indices().data(), {3, 50}, {0, 1}},
          ClassIndices{apart.data(), {1, 50}, {-1, 2}}, ClassIndices{apart.data() + 98, {3, 50}, {0, -2}}}) {
      const bool is_backwards = shared.strides[1] < 0;
      if (is_backwards)
        for (std::size_t key = 0; key < 50; ++key) apart[98 - 2 * key] = each.indices()[key];
      const Outputs got = run_call(each.dense(), way, 1, false, Edge::end, shared);
      CHECK_EQ(std::string(got.status.message()), "");
      CHECK_EQ(first_difference("out", got.out.values(), wanted), "");
      if (is_backwards)
        for (std::size_t key = 0; key < 50; ++key) apart[2 * key] = each.indices()[key];
    }
  });
}

TEST_CASE("classes: a batch item alone has the same bits") {
  const perf::Workload workload(parsed("b=3 h=2:2 n=60:500 d=64:30 lengths"));
  const ClassCall call(call_of(workload), 11);
  Call alone = call.dense();
  alone.q.shape[0] = alone.k.shape[0] = alone.v.shape[0] = 1;
  alone.q.data = static_cast<const float*>(alone.q.data) + alone.q.strides[0];
  alone.k.data = static_cast<const float*>(alone.k.data) + alone.k.strides[0];
  alone.options.lengths = alone.options.lengths.subspan(1, 1);
  for_each_class_way([&](const Way& way) {
    const Outputs all = call.run(way, 8, false);
    const Outputs one = run_call(alone, way, 1, false, Edge::end, class_indices(call.indices().data() + 500, 1, 500));
    const std::vector<float> got = all.out.values();
    CHECK_EQ(first_difference("out", std::span(got).subspan(2 * 60 * 30, 2 * 60 * 30), one.out.values()), "");
  });
}

TEST_CASE("classes: mistakes are told, and nothing is written") {
  const SmallCall small({.batch = 2, .kv_len = 3, .value_dim = 5}, {1.0f}, {1.0f}, {0.0f});
  const Call call = small.call();
  std::vector<std::int32_t> labels = {0, 1, 2, 3, 4, 0};
  std::vector<float> results(10, nan);
  const Tensor out = bhnd(results.data(), 2, 1, 1, 5);
  const auto message = [&](const ClassIndices& classes, const Options& options = {}) {
    return std::string(attention_classes(call.q, call.k, classes, out, options).message());
  };
  const auto with = [&](std::size_t key, std::int32_t label) {
    const std::int32_t before = std::exchange(labels[key], label);
    const std::string text = message(class_indices(labels.data(), 2, 3));
    labels[key] = before;
    return text;
  };
  CHECK_EQ(with(1, 5), "classes: [0, 1] is 5, expected 0 to 4 (out has 5 classes)");
  CHECK_EQ(with(5, -1), "classes: [1, 2] is -1, expected 0 to 4 (out has 5 classes)");
  CHECK_EQ(message({nullptr, {2, 3}, {3, 1}}), "classes: null pointer, expected the address of its elements");
  CHECK_EQ(message(class_indices(labels.data(), 2, 2)), "classes: dimension 1 is 2, expected 3 (kv_len)");
  CHECK_EQ(message(class_indices(labels.data(), 3, 3)), "classes: dimension 0 is 3, expected 1 or 2 (batch)");
  CHECK_EQ(message({reinterpret_cast<const std::int32_t*>(results.data()), {1, 3}, {0, 1}}),
           "out: overlaps classes, expected memory apart from it");
  const std::string no_onednn = message(class_indices(labels.data(), 2, 3), {.path = Path::onednn});
  CHECK_NE(no_onednn.find("path: onednn"), std::string::npos);
  for (const float value : results) CHECK(std::isnan(value));
  const Tensor none = bhnd(results.data(), 2, 1, 1, 0);
  CHECK_EQ(std::string(attention_classes(call.q, call.k, class_indices(labels.data(), 2, 3), none).message()),
           "out: dimension 3 is 0, expected the number of classes, at least 1");

  // A hidden key's index is checked too, but not one at a length or beyond.
  labels[2] = labels[4] = labels[5] = -1;
  const std::vector<std::int64_t> lengths = {2, 1};
  const std::uint8_t last_is_blocked[3] = {0, 0, 1};
  for_each_class_way([&](const Way& way) {
    CHECK_EQ(message(class_indices(labels.data(), 2, 3), {.lengths = lengths, .path = way.path, .isa = way.isa}), "");
    CHECK_EQ(message(class_indices(labels.data(), 2, 3),
                     {.key_mask = blocked_keys(last_is_blocked, 1, 3), .path = way.path, .isa = way.isa}),
             "classes: [0, 2] is -1, expected 0 to 4 (out has 5 classes)");
  });
  std::size_t bytes = 0;
  CHECK(scratch_size_classes(call.q, call.k, {nullptr, {2, 3}, {3, 1}}, out, {}, bytes).ok());
  CHECK(bytes > 0);
}

TEST_CASE("classes: the onednn path is unsupported where it is built") {
  const std::vector<std::string> paths = available_paths();
  if (std::ranges::find(paths, path_name(Path::onednn)) == paths.end()) return;
  const HandCall hand;
  const Outputs outputs = hand.run({Path::onednn, {}});
  CHECK_EQ(outputs.status.code(), StatusCode::unsupported);
  CHECK_EQ(std::string(outputs.status.message()), "path: onednn reads no classes, expected streaming or reference");
}

}  // namespace heed::tests
