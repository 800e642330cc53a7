// SPDX-License-Identifier: Apache-2.0
// Calls of many shapes and options on every path, ISA and thread count, against the answer in float64.
#include <doctest/doctest.h>

#include <string>

#include "support/cases.hpp"
#include "support/checked_call.hpp"

namespace heed::tests {
namespace {

std::string sizes(std::int64_t heads, std::int64_t kv_heads, std::int64_t q_len, std::int64_t kv_len,
                  std::int64_t head_dim, std::int64_t value_dim) {
  return "b=1 h=" + std::to_string(heads) + ":" + std::to_string(kv_heads) + " n=" + std::to_string(q_len) + ":" +
         std::to_string(kv_len) + " d=" + std::to_string(head_dim) + ":" + std::to_string(value_dim);
}

constexpr std::int64_t widths[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 64, 72, 80, 96, 128, 130};

}  // namespace

TEST_CASE("every named call is right on every path, ISA and thread count") {
  for (const NamedSpec& row : named_specs) {
    CAPTURE(std::string(row.name));
    CHECK_EQ(run_spec_everywhere(row.spec, {1, 2, 3}), "");
  }
}

TEST_CASE("every head_dim and value_dim is right, together and apart") {
  for (const std::int64_t head_dim : widths)
    for (const std::int64_t value_dim : widths)
      CHECK_EQ(run_spec_everywhere(sizes(1, 1, 5, 23, head_dim, value_dim) + " scale=0.2", {1}), "");
  for (std::int64_t width = 0; width <= 130; ++width)
    CHECK_EQ(run_spec_everywhere(sizes(1, 1, 9, 11, width, width) + " scale=0.2", {1}), "");
}

TEST_CASE("every pair of lengths up to 70 is right under a bottom-right causal mask") {
  for (std::int64_t q_len = 1; q_len <= 70; ++q_len)
    for (std::int64_t kv_len = 1; kv_len <= 70; ++kv_len)
      REQUIRE_EQ(run_spec_everywhere(sizes(1, 1, q_len, kv_len, 3, 2) + " position=bottom_right causal", {1}), "");
}

TEST_CASE("query heads share KV heads in consecutive groups") {
  for (const std::int64_t group : {1, 2, 3, 7, 8})
    for (const std::int64_t kv_heads : {1, 2})
      for (const std::int64_t q_len : {1, 5, 33})
        CHECK_EQ(run_spec_everywhere(sizes(group * kv_heads, kv_heads, q_len, 40, 8, 8) +
                                     " slopes sinks position=bottom_right"),
                 "");
}

TEST_CASE("a mask or bias broadcasts over any dimensions, with one query and with many") {
  for (const std::int64_t q_len : {1, 27})
    for (int full = 0; full < 16; ++full) {
      const std::int64_t dims[4] = {3, 4, q_len, 50};
      std::string shape;
      for (int d = 0; d < 4; ++d) shape.append(":").append(std::to_string((full >> d & 1) != 0 ? dims[d] : 1));
      const std::string call = "b=3 h=4:2 n=" + std::to_string(q_len) + ":50 d=8:8";
      CHECK_EQ(run_spec_everywhere(call + " mask=blocked" + shape + " hidden=40"), "");
      CHECK_EQ(run_spec_everywhere(call + " mask=allowed" + shape + " hidden=40"), "");
      CHECK_EQ(run_spec_everywhere(call + " bias=" + shape.substr(1) + " bias_hidden=20"), "");
    }
}

TEST_CASE("every pointer may be shifted by any number of floats") {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec("b=1 h=2:1 n=13:29 d=24:16", spec), "");
  const perf::Workload workload(spec);
  const CheckedCall checked(call_of(workload));
  const auto shifted = [](const ConstTensor& tensor, std::size_t floats) {
    const auto count = static_cast<std::size_t>(element_count(tensor.shape));
    std::vector<float> memory(count + floats + 1);
    std::copy_n(static_cast<const float*>(tensor.data), count, memory.data() + floats);
    return memory;
  };
  // std::vector's memory is aligned to 16 bytes at least; 0 to 15 floats cover a cache line.
  for (std::size_t floats = 0; floats < 16; ++floats) {
    const std::vector<float> q = shifted(workload.q, floats), k = shifted(workload.k, (floats * 5) % 16),
                             v = shifted(workload.v, (floats * 3 + 1) % 16);
    Call call = checked.call();
    call.q.data = q.data() + floats;
    call.k.data = k.data() + (floats * 5) % 16;
    call.v.data = v.data() + (floats * 3 + 1) % 16;
    for_each_way([&](const Way& way) {
      CAPTURE(floats);
      const Outputs plain = run_call(checked.call(), way, 1, false);
      const Outputs moved = run_call(call, way, 1, false);
      CHECK_EQ(checked.check(moved, way.text()), "");
      CHECK_EQ(plain.out.values(), moved.out.values());
    });
  }
}

}  // namespace heed::tests
