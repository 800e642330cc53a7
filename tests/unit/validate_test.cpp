// SPDX-License-Identifier: Apache-2.0
// Each mistake that a call's tensors can contain: its code, a message that names the argument, what
// was wanted and what came, and outputs that nobody wrote to. Then the order of the checks, calls
// without data, and calls that look odd and are right.
#include "unit/validate_call.hpp"

namespace {

using namespace heed;
using namespace heed::tests;

TEST_CASE("a call with every option is accepted and writes every output") {
  Call call;
  const Status status = call.run();
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  CHECK(std::string(status.message()).empty());
  CHECK_FALSE(call.out_data.is_untouched());
  CHECK_FALSE(call.lse_data.is_untouched());
  CHECK_FALSE(call.weights_data.is_untouched());
}

TEST_CASE("mistakes in q are refused") {
  expect_refused({
      {StatusCode::bad_value, "q: dtype is 7, expected 0 (f32)", [](Call& c) { c.q.dtype = static_cast<DType>(7); }},
      {StatusCode::bad_value, "q: dtype is -1, expected 0 (f32)", [](Call& c) { c.q.dtype = static_cast<DType>(-1); }},
      {StatusCode::unsupported, "q: dtype is f16, expected f32", [](Call& c) { c.q.dtype = DType::f16; }},
      {StatusCode::unsupported, "q: dtype is bf16, expected f32", [](Call& c) { c.q.dtype = DType::bf16; }},
      {StatusCode::unsupported, "q: dtype is i8, expected f32", [](Call& c) { c.q.dtype = DType::i8; }},
      {StatusCode::bad_size, "q: dimension 0 is -2, expected 0 or more (batch)", [](Call& c) { c.q.shape[0] = -2; }},
      {StatusCode::bad_size, "q: dimension 1 is -4, expected 0 or more (q_heads)", [](Call& c) { c.q.shape[1] = -4; }},
      {StatusCode::bad_size, "q: dimension 2 is -1, expected 0 or more (q_len)", [](Call& c) { c.q.shape[2] = -1; }},
      {StatusCode::bad_size, "q: dimension 3 is -8, expected 0 or more (head_dim)", [](Call& c) { c.q.shape[3] = -8; }},
      {StatusCode::size_overflow, "q: dimension 2 is 4611686018427387904, expected sizes whose product",
       [](Call& c) { c.q.shape[2] = far / 2 + 1; }},
      {StatusCode::size_overflow, "q: dimension 3 is 1048576, expected sizes whose product",
       [](Call& c) { c.q = bhnd(c.q_data.data(), million, million, million, million); }},
      {StatusCode::size_overflow, "q: dimension 2 is 1099511627776, expected sizes whose product",
       [](Call& c) { c.q = bnhd(c.q_data.data(), 0, 2 * million, million * million, million); }},
      {StatusCode::size_overflow, "q: stride 1 is 9223372036854775807 over a size of 4, expected byte offsets",
       [](Call& c) { c.q.strides[1] = far; }},
      {StatusCode::size_overflow, "q: stride 0 is -2305843009213693952 over a size of 2, expected byte offsets",
       [](Call& c) {
         c.q.strides = {-(far / 4 + 1), far / 16, 8, 1};
       }},
      {StatusCode::null_data, "q: null pointer, expected the address of its elements",
       [](Call& c) { c.q.data = nullptr; }},
      {StatusCode::bad_value, "q: address 0x",
       [](Call& c) { c.q.data = reinterpret_cast<const char*>(c.q_data.data()) + 2; }},
      {StatusCode::size_overflow, "q: address 0x", [](Call& c) { c.q.strides[0] = -(std::int64_t{1} << 60); }},
  });
}

TEST_CASE("mistakes in k and v are refused") {
  expect_refused({
      {StatusCode::shape_mismatch, "k: dimension 0 is 3, expected 2 (batch)", [](Call& c) { c.k.shape[0] = 3; }},
      {StatusCode::shape_mismatch, "k: dimension 3 is 7, expected 8 (head_dim)", [](Call& c) { c.k.shape[3] = 7; }},
      {StatusCode::bad_size, "k: dimension 1 is -1, expected 0 or more (kv_heads)", [](Call& c) { c.k.shape[1] = -1; }},
      {StatusCode::bad_size, "k: dimension 2 is -1, expected 0 or more (kv_len)", [](Call& c) { c.k.shape[2] = -1; }},
      {StatusCode::bad_heads, "k: dimension 1 is 3 (kv_heads), expected a divisor of 4 (q_heads)",
       [](Call& c) {
         c.k.shape[1] = 3;
         c.k.strides = {0, 0, 8, 1};
       }},
      {StatusCode::bad_heads, "k: dimension 1 is 0 (kv_heads), expected a divisor of 4 (q_heads)",
       [](Call& c) { c.k.shape[1] = 0; }},
      {StatusCode::bad_heads, "k: dimension 1 is 8 (kv_heads), expected a divisor of 4 (q_heads)",
       [](Call& c) {
         c.k.shape[1] = 8;
         c.k.strides = {0, 0, 8, 1};
       }},
      {StatusCode::unsupported, "k: dtype is bf16, expected f32", [](Call& c) { c.k.dtype = DType::bf16; }},
      {StatusCode::null_data, "k: null pointer", [](Call& c) { c.k.data = nullptr; }},
      {StatusCode::size_overflow, "k: stride 2 is 9223372036854775807 over a size of 5",
       [](Call& c) { c.k.strides[2] = far; }},
      {StatusCode::unsupported, "v: dtype is i8, expected f32", [](Call& c) { c.v.dtype = DType::i8; }},
      {StatusCode::shape_mismatch, "v: dimension 0 is 1, expected 2 (batch)", [](Call& c) { c.v.shape[0] = 1; }},
      {StatusCode::shape_mismatch, "v: dimension 1 is 1, expected 2 (kv_heads)", [](Call& c) { c.v.shape[1] = 1; }},
      {StatusCode::shape_mismatch, "v: dimension 2 is 4, expected 5 (kv_len)", [](Call& c) { c.v.shape[2] = 4; }},
      {StatusCode::bad_size, "v: dimension 3 is -6, expected 0 or more (value_dim)",
       [](Call& c) { c.v.shape[3] = -6; }},
      {StatusCode::null_data, "v: null pointer", [](Call& c) { c.v.data = nullptr; }},
  });
}

TEST_CASE("mistakes in out are refused") {
  expect_refused({
      {StatusCode::unsupported, "out: dtype is f16, expected f32", [](Call& c) { c.out.dtype = DType::f16; }},
      {StatusCode::shape_mismatch, "out: dimension 0 is 1, expected 2 (batch)", [](Call& c) { c.out.shape[0] = 1; }},
      {StatusCode::shape_mismatch, "out: dimension 1 is 2, expected 4 (q_heads)", [](Call& c) { c.out.shape[1] = 2; }},
      {StatusCode::shape_mismatch, "out: dimension 2 is 5, expected 3 (q_len)", [](Call& c) { c.out.shape[2] = 5; }},
      {StatusCode::shape_mismatch, "out: dimension 3 is 8, expected 6 (value_dim)",
       [](Call& c) { c.out.shape[3] = 8; }},
      {StatusCode::null_data, "out: null pointer", [](Call& c) { c.out.data = nullptr; }},
      {StatusCode::overlap, "out: stride 1 is 0 over a size of 4, expected an output that does not broadcast",
       [](Call& c) { c.out.strides[1] = 0; }},
      {StatusCode::overlap, "out: stride 2 is 5 over a size of 3, expected more than the 5 elements",
       [](Call& c) { c.out.strides[2] = 5; }},
      {StatusCode::overlap, "out: overlaps q, expected memory apart from it",
       [](Call& c) { c.out.data = c.q_data.data(); }},
      {StatusCode::overlap, "out: overlaps k, expected memory apart from it",
       [](Call& c) { c.out.data = c.k_data.data() + c.k_data.size() - 1; }},
      {StatusCode::overlap, "out: overlaps v, expected memory apart from it",
       [](Call& c) {  // v walks backwards from its last element; out begins within
         c.v.data = c.v_data.data() + c.v_data.size() - 1;
         for (std::int64_t& stride : c.v.strides) stride = -stride;
         c.out.data = c.v_data.data() + 40;
       }},
  });
}

TEST_CASE("the first wrong argument is the one reported") {
  const std::vector<std::pair<std::string, std::function<void(Call&)>>> spoilers = {
      {"q:", [](Call& c) { c.q.data = nullptr; }},
      {"k:", [](Call& c) { c.k.data = nullptr; }},
      {"v:", [](Call& c) { c.v.data = nullptr; }},
      {"out:", [](Call& c) { c.out.data = nullptr; }},
      {"scale:", [](Call& c) { c.options.scale = nan; }},
      {"soft_cap:", [](Call& c) { c.options.soft_cap = -1.0f; }},
      {"bias:", [](Call& c) { c.options.bias->data = nullptr; }},
      {"slopes:", [](Call& c) { c.options.slopes = c.options.slopes.first(1); }},
      {"sinks:", [](Call& c) { c.options.sinks = c.options.sinks.first(1); }},
      {"key_mask:", [](Call& c) { c.options.key_mask->data = nullptr; }},
      {"lengths:", [](Call& c) { c.lengths[0] = 99; }},
      {"mask:", [](Call& c) { c.options.mask->data = nullptr; }},
      {"position:", [](Call& c) { c.options.position.reset(); }},
      {"window:", [](Call& c) { c.options.window.left = -7; }},
      {"lse:", [](Call& c) { c.options.lse->data = nullptr; }},
      {"weights:", [](Call& c) { c.options.weights->data = nullptr; }},
      {"threads:", [](Call& c) { c.options.threads = -1; }},
      {"path:", [](Call& c) { c.options.path = static_cast<Path>(17); }},
      {"scratch:",
       [](Call& c) {
         c.options.scratch = {static_cast<std::byte*>(nullptr), 64};
       }},
  };
  for (std::size_t first = 0; first < spoilers.size(); ++first) {
    Call call;
    for (std::size_t index = first; index < spoilers.size(); ++index) spoilers[index].second(call);
    const Status status = call.run();
    const std::string message = status.message();
    CAPTURE(message);
    CHECK(message.starts_with(spoilers[first].first));
  }
}

TEST_CASE("sizes that nobody can have are refused without data, whichever call they come in") {
  const std::int64_t huge = std::int64_t{1} << 40;
  std::size_t bytes = 77;
  const auto q = bhnd(static_cast<const float*>(nullptr), huge, huge, huge, 64);
  const auto k = bhnd(static_cast<const float*>(nullptr), huge, huge, huge, 64);
  const auto out = bhnd(static_cast<float*>(nullptr), huge, huge, huge, 64);
  CHECK(scratch_size(q, k, k, out, {}, bytes).code() == StatusCode::size_overflow);
  CHECK(bytes == 77);
  Explanation explanation;
  CHECK(explain(q, k, k, out, {}, explanation).code() == StatusCode::size_overflow);
  CHECK(attention(q, k, k, out).code() == StatusCode::size_overflow);
  const Mask mask = blocked(static_cast<const std::uint8_t*>(nullptr), {huge, huge, huge, huge});
  CHECK(mask.strides == Dims{0, 0, huge, 1});
}

TEST_CASE("scratch_size and explain take null data and still check everything else") {
  Call call;
  call.q.data = call.k.data = call.v.data = call.out.data = nullptr;
  call.options.bias->data = nullptr;
  call.options.mask->data = nullptr;
  call.options.key_mask->data = nullptr;
  call.options.lse->data = nullptr;
  call.options.weights->data = nullptr;
  call.options.slopes = {static_cast<const float*>(nullptr), q_heads};
  call.options.lengths = {static_cast<const std::int64_t*>(nullptr), batch};
  std::size_t bytes = 0;
  const Status status = scratch_size(call.q, call.k, call.v, call.out, call.options, bytes);
  CHECK_MESSAGE(status.ok(), std::string(status.message()));
  CHECK(bytes > 0);
  Explanation explanation;
  CHECK(explain(call.q, call.k, call.v, call.out, call.options, explanation).ok());

  call.options.lengths = call.lengths;
  call.lengths[1] = 6;
  CHECK(scratch_size(call.q, call.k, call.v, call.out, call.options, bytes).code() == StatusCode::bad_value);
  call.options.lengths = call.options.lengths.first(1);
  CHECK(scratch_size(call.q, call.k, call.v, call.out, call.options, bytes).code() == StatusCode::shape_mismatch);
}

TEST_CASE("calls that look odd and are right are accepted") {
  const std::vector<std::pair<std::string, std::function<void(Call&)>>> oddities = {
      {"scale 0", [](Call& c) { c.options.scale = 0.0f; }},
      {"negative scale", [](Call& c) { c.options.scale = -2.0f; }},
      {"keys are the queries' memory", [](Call& c) { c.k.data = c.q_data.data(); }},
      {"one head read by all: stride 0 in an input", [](Call& c) { c.k.strides[1] = 0; }},
      {"one KV head", [](Call& c) { c.k.shape[1] = c.v.shape[1] = 1; }},
      {"a size of 1 with any stride",
       [](Call& c) {
         c.options.mask->shape = {1, 1, 3, 1};
         c.options.mask->strides = {far, -far, 1, far};
         c.options.lse->strides[3] = 0;
       }},
      {"one bias for everything",
       [](Call& c) {
         c.options.bias->shape = {1, 1, 1, 1};
       }},
      {"one row of key padding", [](Call& c) { c.options.key_mask->shape[0] = 1; }},
      {"outputs side by side",
       [](Call& c) { c.options.lse->data = c.weights_data.values.data(), c.options.weights.reset(); }},
      {"lengths of 0 and kv_len",
       [](Call& c) {
         c.lengths = {0, kv_len};
       }},
      {"an infinite sink", [](Call& c) { c.sinks[0] = -infinity; }},
      {"bounds and positions as far as they go",
       [](Call& c) {
         c.options.window = {far, far};
         c.options.position = Position::offset(-far);
       }},
      {"no queries",
       [](Call& c) {
         c.q.shape[2] = c.out.shape[2] = c.options.lse->shape[2] = c.options.weights->shape[2] = 0,
         c.options.bias.reset(), c.options.mask.reset(), c.q.data = c.out.data = nullptr;
       }},
      {"no channels, with a scale", [](Call& c) { c.q.shape[3] = c.k.shape[3] = 0, c.q.data = c.k.data = nullptr; }},
      {"no value channels", [](Call& c) { c.v.shape[3] = c.out.shape[3] = 0, c.v.data = c.out.data = nullptr; }},
      {"q_len equal to kv_len needs no position",
       [](Call& c) {
         c.options = {.causal = true, .threads = 1, .path = Path::reference};
         c.k.shape[2] = c.v.shape[2] = q_len;
       }},
  };
  for (const auto& [name, make] : oddities) {
    CAPTURE(name);
    Call call;
    make(call);
    const Status status = call.run();
    CHECK_MESSAGE(status.ok(), std::string(status.message()));
  }
}

TEST_CASE("without batch, heads or queries nothing is written") {
  for (const std::size_t dimension : {0u, 1u, 2u}) {
    CAPTURE(dimension);
    Call call;
    call.options = {.threads = 1, .path = Path::reference};
    call.q.shape[dimension] = call.out.shape[dimension] = 0;
    if (dimension < 2) call.k.shape[dimension] = call.v.shape[dimension] = 0;
    const Status status = call.run();
    CHECK_MESSAGE(status.ok(), std::string(status.message()));
    CHECK(call.is_untouched());
  }
}

}  // namespace
