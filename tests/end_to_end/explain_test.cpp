// SPDX-License-Identifier: Apache-2.0
// explain() says what a call would do and why, and prints a spec that makes the same call again.
#include <doctest/doctest.h>

#include <string>

#include "support/cases.hpp"
#include "support/checked_call.hpp"

namespace heed::tests {
namespace {

Explanation explained(const perf::Workload& workload, const Options& changes = {}) {
  Options options = workload.options;
  options.path = changes.path;
  options.isa = changes.isa;
  options.threads = changes.threads;
  Explanation explanation;
  const Status status = explain(workload.q, workload.k, workload.v, workload.out, options, explanation);
  CHECK_EQ(std::string(status.message()), "");
  return explanation;
}

perf::Spec parsed(const std::string& text) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec(text, spec), "");
  return spec;
}

bool has_reason(const Explanation& explanation, const std::string& name) {
  for (const std::string& reason : explanation.reasons)
    if (reason.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("the spec of every named call makes the same call again") {
  for (const NamedSpec& row : named_specs) {
    CAPTURE(std::string(row.spec));
    const perf::Workload workload(parsed(row.spec));
    const Explanation first = explained(workload);
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(first.spec, spec), "");
    const perf::Workload again(spec);
    CHECK_EQ(explained(again).spec, first.spec);
    CHECK_EQ(again.q.shape, workload.q.shape);
    CHECK_EQ(again.k.shape, workload.k.shape);
    CHECK_EQ(again.v.shape, workload.v.shape);
    CHECK_EQ(spec.causal, workload.spec.causal);
    CHECK_EQ(spec.window_left, workload.spec.window_left);
    CHECK_EQ(spec.window_right, workload.spec.window_right);
    CHECK_EQ(spec.soft_cap, workload.spec.soft_cap);
    CHECK_EQ(spec.has_sinks, workload.spec.has_sinks);
    CHECK_EQ(spec.has_slopes, workload.spec.has_slopes);
    CHECK_EQ(spec.has_lengths, workload.spec.has_lengths);
    CHECK_EQ(spec.key_mask, workload.spec.key_mask);
    CHECK_EQ(spec.mask, workload.spec.mask);
    CHECK_EQ(spec.bias, workload.spec.bias);
  }
}

TEST_CASE("lse and weights asked for are in the spec") {
  const perf::Workload workload(parsed("b=2 h=2:2 n=5:7 d=8:8 lse weights"));
  CHECK_EQ(explained(workload).spec, "b=2 h=2:2 n=5:7 d=8:8 lse weights");
}

TEST_CASE("path, ISA, tiles, threads and scratch are said, with a reason for each path and ISA not taken") {
  const perf::Workload workload(parsed("b=8 h=8:8 n=256:256 d=64:64"));
  for_each_isa([&](const std::string& isa) {
    const Explanation explanation = explained(workload, {.threads = 2, .path = Path::streaming, .isa = isa});
    CHECK_EQ(explanation.path, Path::streaming);
    CHECK_EQ(explanation.isa, isa);
    CHECK(explanation.rows_per_tile > 0);
    CHECK(explanation.keys_per_tile > 0);
    CHECK_EQ(explanation.threads == 2, !has_reason(explanation, "more threads: "));
    CHECK(explanation.scratch_bytes > 0);
    for (const char* path : {"onednn", "reference"}) CHECK(has_reason(explanation, path));
    for (const std::string& other : available_isas()) CHECK_EQ(has_reason(explanation, other), other != isa);
    for (const std::string& part : {std::string("streaming"), isa, explanation.spec})
      CHECK_NE(explanation.text.find(part), std::string::npos);
    for (const std::string& reason : explanation.reasons) CHECK_NE(explanation.text.find(reason), std::string::npos);
  });
  const Explanation reference = explained(workload, {.path = Path::reference});
  CHECK_EQ(reference.path, Path::reference);
  CHECK_EQ(reference.isa, "");
  CHECK(has_reason(reference, "streaming"));
}

TEST_CASE("the parts that keys are cut into are said where there are several") {
  const auto parts_of = [](const char* spec) {
    const Explanation explanation = explained(perf::Workload(parsed(spec)), {.path = Path::streaming});
    CHECK_EQ(explanation.text.find("key parts") != std::string::npos, explanation.key_parts > 1);
    return explanation.key_parts;
  };
  CHECK_EQ(parts_of("b=1 h=8:2 n=1:4096 d=16:16"), 4);
  CHECK_EQ(parts_of("b=1 h=8:2 n=1:1000 d=16:16"), 1);
  CHECK_EQ(parts_of("b=1 h=8:2 n=100:4096 d=16:16"), 1);
}

TEST_CASE("threads asked for in vain are said, with the reason") {
  const perf::Workload tiny(parsed("b=1 h=1:1 n=3:5 d=4:4")), workload(parsed("b=4 h=4:4 n=256:256 d=64:64"));
  const bool is_serial = has_reason(explained(workload, {.threads = 2}), "more threads: not in this build");
  for_each_way([&](const Way& way) {
    const Explanation explanation = explained(tiny, {.threads = 8, .path = way.path, .isa = way.isa});
    CHECK_EQ(explanation.threads, 1);
    CHECK(has_reason(explanation, "more threads: "));
    CHECK_NE(explanation.text.find("more threads: "), std::string::npos);
    CHECK_FALSE(has_reason(explained(tiny, {.threads = 1, .path = way.path, .isa = way.isa}), "more threads: "));
    const Explanation large = explained(workload, {.threads = 2, .path = way.path, .isa = way.isa});
    CHECK_EQ(large.threads, is_serial ? 1 : 2);
  });
}

TEST_CASE("scratch_size() and explain() agree and need no data") {
  const Dims shape = {2, 4, 30, 16};
  const ConstTensor none{nullptr, shape, bhnd_strides(4, 30, 16)};
  const Tensor nowhere{nullptr, shape, bhnd_strides(4, 30, 16)};
  Options options;
  options.lse = Tensor{nullptr, {2, 4, 30, 1}, bhnd_strides(4, 30, 1)};
  options.weights = Tensor{nullptr, {2, 4, 30, 30}, bhnd_strides(4, 30, 30)};
  options.bias = ConstTensor{nullptr, {1, 1, 30, 30}, bhnd_strides(1, 30, 30)};
  options.mask = blocked(static_cast<const std::uint8_t*>(nullptr), {1, 1, 30, 30});
  options.key_mask = allowed_keys(static_cast<const std::uint8_t*>(nullptr), 2, 30);
  Explanation explanation;
  const Status explained_status = explain(none, none, none, nowhere, options, explanation);
  CHECK_EQ(std::string(explained_status.message()), "");
  std::size_t bytes = 0;
  const Status sized_status = scratch_size(none, none, none, nowhere, options, bytes);
  CHECK_EQ(std::string(sized_status.message()), "");
  CHECK_EQ(bytes, explanation.scratch_bytes);
  CHECK_NE(explanation.spec.find("weights"), std::string::npos);
}

TEST_CASE("a broadcast mask costs no scratch, however many heads read it") {
  const auto bytes = [](std::int64_t heads) {
    const Dims shape = {1, heads, 2048, 64};
    const ConstTensor none{nullptr, shape, bhnd_strides(heads, 2048, 64)};
    const Tensor nowhere{nullptr, shape, bhnd_strides(heads, 2048, 64)};
    std::size_t size = 0;
    CHECK(scratch_size(none, none, none, nowhere,
                       {.mask = blocked(static_cast<const std::uint8_t*>(nullptr), {1, 1, 2048, 2048}), .threads = 1},
                       size)
              .ok());
    return size;
  };
  CHECK_EQ(bytes(64), bytes(1));
}

}  // namespace heed::tests
