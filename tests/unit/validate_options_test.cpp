// SPDX-License-Identifier: Apache-2.0
// Each mistake that a call's options can contain; see validate_test.cpp.
#include "unit/validate_call.hpp"

namespace {

using namespace heed;
using namespace heed::tests;

TEST_CASE("mistakes in the options that change scores are refused") {
  expect_refused({
      {StatusCode::bad_value, "scale: nan, expected a finite number", [](Call& c) { c.options.scale = nan; }},
      {StatusCode::bad_value, "scale: inf, expected a finite number", [](Call& c) { c.options.scale = infinity; }},
      {StatusCode::bad_value, "scale: not given, expected a finite number since head_dim is 0",
       [](Call& c) { c.options.scale.reset(), c.q.shape[3] = 0, c.k.shape[3] = 0; }},
      {StatusCode::bad_value, "soft_cap: -1, expected a finite number, 0 (off) or more",
       [](Call& c) { c.options.soft_cap = -1.0f; }},
      {StatusCode::bad_value, "soft_cap: nan", [](Call& c) { c.options.soft_cap = nan; }},
      {StatusCode::bad_value, "soft_cap: inf", [](Call& c) { c.options.soft_cap = infinity; }},
      {StatusCode::unsupported, "bias: dtype is f16", [](Call& c) { c.options.bias->dtype = DType::f16; }},
      {StatusCode::shape_mismatch, "bias: dimension 1 is 2, expected 1 or 4 (q_heads)",
       [](Call& c) { c.options.bias->shape[1] = 2; }},
      {StatusCode::size_overflow, "bias: stride 2 is 9223372036854775807 over a size of 3",
       [](Call& c) { c.options.bias->strides[2] = far; }},
      {StatusCode::null_data, "bias: null pointer", [](Call& c) { c.options.bias->data = nullptr; }},
      {StatusCode::overlap, "bias: overlaps out, expected memory apart from it",
       [](Call& c) {
         c.options.bias->data = c.out_data.values.data();
         c.options.bias->shape = {1, 1, 1, 1};
       }},
      {StatusCode::shape_mismatch, "slopes: 3 values, expected 4 (q_heads)",
       [](Call& c) { c.options.slopes = c.options.slopes.first(3); }},
      {StatusCode::shape_mismatch, "slopes: 0 values, expected 4 (q_heads)",
       [](Call& c) { c.options.slopes = c.options.slopes.first(0); }},
      {StatusCode::null_data, "slopes: null pointer",
       [](Call& c) {
         c.options.slopes = {static_cast<const float*>(nullptr), 4};
       }},
      {StatusCode::bad_value, "slopes: value 2 is nan, expected a finite number", [](Call& c) { c.slopes[2] = nan; }},
      {StatusCode::bad_value, "slopes: value 3 is -inf, expected a finite number",
       [](Call& c) { c.slopes[3] = -infinity; }},
      {StatusCode::shape_mismatch, "sinks: 2 values, expected 4 (q_heads)",
       [](Call& c) { c.options.sinks = c.options.sinks.first(2); }},
      {StatusCode::null_data, "sinks: null pointer",
       [](Call& c) {
         c.options.sinks = {static_cast<const float*>(nullptr), 4};
       }},
      {StatusCode::overlap, "sinks: overlaps out",
       [](Call& c) { c.options.sinks = std::span(c.out_data.values).subspan(7, 4); }},
  });
}

TEST_CASE("mistakes in the options that hide keys are refused") {
  expect_refused({
      {StatusCode::shape_mismatch, "key_mask: dimension 0 is 3, expected 1 or 2 (batch)",
       [](Call& c) { c.options.key_mask->shape[0] = 3; }},
      {StatusCode::shape_mismatch, "key_mask: dimension 1 is 4, expected 5 (kv_len)",
       [](Call& c) { c.options.key_mask->shape[1] = 4; }},
      {StatusCode::shape_mismatch, "key_mask: dimension 1 is 1, expected 5 (kv_len)",
       [](Call& c) { c.options.key_mask->shape[1] = 1; }},
      {StatusCode::bad_size, "key_mask: dimension 0 is -1, expected 0 or more (batch)",
       [](Call& c) { c.options.key_mask->shape[0] = -1; }},
      {StatusCode::null_data, "key_mask: null pointer", [](Call& c) { c.options.key_mask->data = nullptr; }},
      {StatusCode::shape_mismatch, "lengths: 1 values, expected 2 (batch)",
       [](Call& c) { c.options.lengths = c.options.lengths.first(1); }},
      {StatusCode::bad_value, "lengths: value 1 is 6, expected 0 to 5 (kv_len)", [](Call& c) { c.lengths[1] = 6; }},
      {StatusCode::bad_value, "lengths: value 0 is -1, expected 0 to 5 (kv_len)", [](Call& c) { c.lengths[0] = -1; }},
      {StatusCode::null_data, "lengths: null pointer",
       [](Call& c) {
         c.options.lengths = {static_cast<const std::int64_t*>(nullptr), 2};
       }},
      {StatusCode::shape_mismatch, "mask: dimension 0 is 4, expected 1 or 2 (batch)",
       [](Call& c) { c.options.mask->shape[0] = 4; }},
      {StatusCode::shape_mismatch, "mask: dimension 1 is 2, expected 1 or 4 (q_heads)",
       [](Call& c) { c.options.mask->shape[1] = 2; }},
      {StatusCode::shape_mismatch, "mask: dimension 2 is 2, expected 1 or 3 (q_len)",
       [](Call& c) { c.options.mask->shape[2] = 2; }},
      {StatusCode::shape_mismatch, "mask: dimension 3 is 4, expected 1 or 5 (kv_len)",
       [](Call& c) { c.options.mask->shape[3] = 4; }},
      {StatusCode::bad_size, "mask: dimension 3 is -5, expected 0 or more (kv_len)",
       [](Call& c) { c.options.mask->shape[3] = -5; }},
      {StatusCode::size_overflow, "mask: stride 0 is 9223372036854775807 over a size of 2",
       [](Call& c) {
         c.options.mask->strides = {far, far, 5, 1};
       }},
      {StatusCode::null_data, "mask: null pointer", [](Call& c) { c.options.mask->data = nullptr; }},
      {StatusCode::overlap, "mask: overlaps out, expected memory apart from it",
       [](Call& c) { c.options.mask->data = c.out_data.bytes() + 17; }},
  });
}

TEST_CASE("mistakes in position and window are refused") {
  const auto needs_position = [](const char* user, std::function<void(Options&)> ask) {
    return Mistake{StatusCode::position_missing,
                   "position: not given, expected top_left, bottom_right, an offset or one per batch item, since " +
                       std::string(user) + " needs it and q_len 3 is not kv_len 5",
                   [=](Call& c) {
                     c.options.position.reset();
                     c.options.causal = false;
                     c.options.window = {};
                     c.options.slopes = {};
                     ask(c.options);
                   }};
  };
  static const std::vector<float> slopes(q_heads, 1.0f);
  expect_refused({
      needs_position("causal", [](Options& options) { options.causal = true; }),
      needs_position("window", [](Options& options) { options.window.left = 0; }),
      needs_position("window", [](Options& options) { options.window.right = 0; }),
      needs_position("slopes", [](Options& options) { options.slopes = slopes; }),
      {StatusCode::bad_value,
       "position: kind is 0, expected 1 (top_left), 2 (bottom_right), 3 (offset) or 4 (per_batch)",
       [](Call& c) { c.options.position->kind = static_cast<Position::Kind>(0); }},
      {StatusCode::bad_value, "position: kind is 5, expected 1 (top_left)",
       [](Call& c) { c.options.position->kind = static_cast<Position::Kind>(5); }},
      {StatusCode::shape_mismatch, "position: 1 values, expected 2 (batch)",
       [](Call& c) { c.options.position->values = c.options.position->values.first(1); }},
      {StatusCode::shape_mismatch, "position: 0 values, expected 2 (batch)",
       [](Call& c) { c.options.position = Position::offsets({}); }},
      {StatusCode::null_data, "position: null pointer",
       [](Call& c) {
         c.options.position->values = {static_cast<const std::int64_t*>(nullptr), 2};
       }},
      {StatusCode::overlap, "position: overlaps out",
       [](Call& c) {
         c.options.position->values = {reinterpret_cast<const std::int64_t*>(c.out_data.values.data()), 2};
       }},
      {StatusCode::bad_value, "window: left is -2, expected -1 (unbounded), 0 or more",
       [](Call& c) { c.options.window.left = -2; }},
      {StatusCode::bad_value, "window: right is -9223372036854775807, expected -1 (unbounded), 0 or more",
       [](Call& c) { c.options.window.right = -far; }},
  });
}

TEST_CASE("mistakes in lse and weights are refused") {
  expect_refused({
      {StatusCode::unsupported, "lse: dtype is f16", [](Call& c) { c.options.lse->dtype = DType::f16; }},
      {StatusCode::shape_mismatch, "lse: dimension 0 is 1, expected 2 (batch)",
       [](Call& c) { c.options.lse->shape[0] = 1; }},
      {StatusCode::shape_mismatch, "lse: dimension 1 is 2, expected 4 (q_heads)",
       [](Call& c) { c.options.lse->shape[1] = 2; }},
      {StatusCode::shape_mismatch, "lse: dimension 2 is 1, expected 3 (q_len)",
       [](Call& c) { c.options.lse->shape[2] = 1; }},
      {StatusCode::shape_mismatch, "lse: dimension 3 is 5, expected 1 (one value per row)",
       [](Call& c) { c.options.lse->shape[3] = 5; }},
      {StatusCode::null_data, "lse: null pointer", [](Call& c) { c.options.lse->data = nullptr; }},
      {StatusCode::overlap, "lse: stride 2 is 0 over a size of 3, expected an output that does not broadcast",
       [](Call& c) { c.options.lse->strides[2] = 0; }},
      {StatusCode::overlap, "lse: overlaps out, expected memory apart from it",
       [](Call& c) { c.options.lse->data = c.out_data.values.data() + 100; }},
      {StatusCode::overlap, "lse: overlaps slopes", [](Call& c) { c.options.lse->data = c.slopes.data(); }},
      {StatusCode::overlap, "lse: overlaps mask", [](Call& c) { c.options.mask->data = c.lse_data.bytes() + 9; }},
      {StatusCode::shape_mismatch, "weights: dimension 3 is 3, expected 5 (kv_len)",
       [](Call& c) { c.options.weights->shape[3] = 3; }},
      {StatusCode::shape_mismatch, "weights: dimension 1 is 1, expected 4 (q_heads)",
       [](Call& c) { c.options.weights->shape[1] = 1; }},
      {StatusCode::null_data, "weights: null pointer", [](Call& c) { c.options.weights->data = nullptr; }},
      {StatusCode::overlap, "weights: stride 3 is 0 over a size of 5",
       [](Call& c) { c.options.weights->strides[3] = 0; }},
      {StatusCode::overlap, "weights: overlaps lse, expected memory apart from it",
       [](Call& c) { c.options.weights->data = c.lse_data.values.data(); }},
      {StatusCode::overlap, "weights: overlaps bias", [](Call& c) { c.options.weights->data = c.bias_data.data(); }},
  });
}

TEST_CASE("mistakes in threads, path, isa and scratch are refused") {
  expect_refused({
      {StatusCode::bad_value, "threads: -1, expected 0", [](Call& c) { c.options.threads = -1; }},
      {StatusCode::unknown_name, "path: 4, expected 0 (automatic), 1 (streaming), 2 (onednn) or 3 (reference)",
       [](Call& c) { c.options.path = static_cast<Path>(4); }},
      {StatusCode::unknown_name, "path: -1, expected", [](Call& c) { c.options.path = static_cast<Path>(-1); }},
      {StatusCode::unknown_name, "isa: 'sse9' is unknown, expected one of: ", [](Call& c) { c.options.isa = "sse9"; }},
      {StatusCode::scratch_too_small, "scratch: 3 bytes, expected at least ",
       [](Call& c) { c.options.scratch = c.options.scratch.first(3); }},
      {StatusCode::scratch_too_small, "scratch: 0 bytes, expected at least ",
       [](Call& c) { c.options.scratch = c.options.scratch.first(0); }},
      {StatusCode::null_data, "scratch: null pointer",
       [](Call& c) {
         c.options.scratch = {static_cast<std::byte*>(nullptr), 64};
       }},
      {StatusCode::overlap, "scratch: overlaps k, expected memory apart from it",
       [](Call& c) { c.options.scratch = std::as_writable_bytes(std::span(c.k_data)); }},
      {StatusCode::overlap, "scratch: overlaps weights",
       [](Call& c) { c.options.scratch = std::as_writable_bytes(std::span(c.weights_data.values)); }},
  });
}

}  // namespace
