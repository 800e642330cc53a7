// SPDX-License-Identifier: Apache-2.0
// A right call with every option given, for tests that spoil one thing and look at the answer.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention.hpp"

namespace heed::tests {

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t million = std::int64_t{1} << 20;

inline constexpr std::int64_t batch = 2, q_heads = 4, kv_heads = 2, q_len = 3, kv_len = 5, head_dim = 8, value_dim = 6;

// Memory that starts as 0xAB in every byte, and can tell whether it still is.
struct Untouched {
  explicit Untouched(std::size_t floats) : values(floats) {
    std::fill_n(bytes(), values.size() * sizeof(float), std::uint8_t{0xAB});
  }
  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(values.data()); }
  bool is_untouched() {
    return std::all_of(bytes(), bytes() + values.size() * sizeof(float),
                       [](std::uint8_t byte) { return byte == 0xAB; });
  }
  std::vector<float> values;
};

// A right call with every option given; a test spoils one thing.
struct Call {
  std::vector<float> q_data = std::vector<float>(batch * q_heads * q_len * head_dim, 0.5f);
  std::vector<float> k_data = std::vector<float>(batch * kv_heads * kv_len * head_dim, 0.25f);
  std::vector<float> v_data = std::vector<float>(batch * kv_heads * kv_len * value_dim, 2.0f);
  std::vector<float> bias_data = std::vector<float>(batch * q_heads * q_len * kv_len);
  std::vector<std::uint8_t> mask_data = std::vector<std::uint8_t>(batch * q_heads * q_len * kv_len);
  std::vector<std::uint8_t> key_mask_data = std::vector<std::uint8_t>(batch * kv_len);
  std::vector<float> slopes = std::vector<float>(q_heads, 0.5f);
  std::vector<float> sinks = std::vector<float>(q_heads, -1.0f);
  std::vector<std::int64_t> lengths = {4, 5};
  std::vector<std::int64_t> offsets = {1, 2};
  std::vector<std::byte> scratch = std::vector<std::byte>(1 << 16);
  Untouched out_data{batch * q_heads * q_len * value_dim};
  Untouched lse_data{batch * q_heads * q_len};
  Untouched weights_data{batch * q_heads * q_len * kv_len};

  ConstTensor q = bhnd(std::as_const(q_data).data(), batch, q_heads, q_len, head_dim);
  ConstTensor k = bhnd(std::as_const(k_data).data(), batch, kv_heads, kv_len, head_dim);
  ConstTensor v = bhnd(std::as_const(v_data).data(), batch, kv_heads, kv_len, value_dim);
  Tensor out = bhnd(out_data.values.data(), batch, q_heads, q_len, value_dim);
  Options options{
      .scale = 0.5f,
      .bias = bhnd(std::as_const(bias_data).data(), batch, q_heads, q_len, kv_len),
      .slopes = slopes,
      .sinks = sinks,
      .key_mask = blocked_keys(key_mask_data.data(), batch, kv_len),
      .lengths = lengths,
      .mask = blocked(mask_data.data(), {batch, q_heads, q_len, kv_len}),
      .position = Position::offsets(offsets),
      .causal = true,
      .window = {2, 0},
      .lse = bhnd(lse_data.values.data(), batch, q_heads, q_len, 1),
      .weights = bhnd(weights_data.values.data(), batch, q_heads, q_len, kv_len),
      .threads = 1,
      .path = Path::reference,
      .scratch = scratch,
  };

  Status run() const { return attention(q, k, v, out, options); }
  bool is_untouched() { return out_data.is_untouched() && lse_data.is_untouched() && weights_data.is_untouched(); }
};

struct Mistake {
  StatusCode code;
  std::string message;  // how it begins
  std::function<void(Call&)> make;
};

inline void expect_refused(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.message);
    Call call;
    mistake.make(call);
    const Status status = call.run();
    CHECK(status.code() == mistake.code);
    const std::string message = status.message();
    CHECK_MESSAGE(message.starts_with(mistake.message), "got: ", message);
    CHECK(call.is_untouched());
  }
}

}  // namespace heed::tests
