// SPDX-License-Identifier: Apache-2.0
// One line of text for one attention call: what explain() prints, heed-sweep runs and the fuzz test
// prints when it fails.
//
//   b=2 h=8:2 n=100:1000 d=64:64      batch, q_heads:kv_heads, q_len:kv_len, head_dim:value_dim
//   scale=0.125 cap=30 bias=1:8:100:1000 slopes sinks key_mask=blocked lengths
//   mask=allowed:1:1:100:1000 position=bottom_right causal window=2:0 lse weights
//   q=bnhd k=0:64:512:1               storage; strides are in elements; bhnd where not given
//   seed=7 fill=large hidden=25 bias_hidden=5 key_hidden=30     contents; for readers only
//
// The first four tokens are required, in this order; the others may come in any order, each once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/attention.hpp"

namespace heed::perf {

enum class Polarity { blocked, allowed };
enum class Fill {
  normal,  // standard normal q, k, v
  large,   // q and k eight times as large: scores in the hundreds, one key takes nearly all weight
  equal,   // q is zero: every visible key weighs the same
  tiny,    // q, k, v near the smallest normal float
};

struct Storage {
  enum class Order { bhnd, bnhd, strided };
  Order order = Order::bhnd;
  Dims strides{};  // Order::strided only
  friend bool operator==(const Storage&, const Storage&) = default;
};

struct Spec {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 1, kv_len = 1, head_dim = 1, value_dim = 1;

  std::optional<float> scale{};
  float soft_cap = 0.0f;
  std::optional<Dims> bias{};
  bool has_slopes = false, has_sinks = false;
  std::optional<Polarity> key_mask{};
  bool has_lengths = false;
  std::optional<Polarity> mask{};
  Dims mask_shape{};
  std::optional<Position::Kind> position{};
  std::int64_t offset = 0;  // Position::Kind::offset
  bool causal = false;
  std::int64_t window_left = -1, window_right = -1;
  bool wants_lse = false, wants_weights = false;

  Storage q{}, k{}, v{}, out{};

  std::uint64_t seed = 1;
  Fill fill = Fill::normal;
  int hidden_percent = 10;                  // cells of the pairwise mask
  int bias_hidden_percent = 0;              // cells of the bias that are minus infinity
  std::optional<int> key_hidden_percent{};  // keys that key_mask hides, at random; unset: the last
                                            // quarter of the keys of every second batch item

  Dims q_shape() const { return {batch, q_heads, q_len, head_dim}; }
  Dims k_shape() const { return {batch, kv_heads, kv_len, head_dim}; }
  Dims v_shape() const { return {batch, kv_heads, kv_len, value_dim}; }
  Dims out_shape() const { return {batch, q_heads, q_len, value_dim}; }

  friend bool operator==(const Spec&, const Spec&) = default;
};

// "" when `text` is a spec; otherwise what is wrong with it, naming the token.
std::string parse_spec(std::string_view text, Spec& spec);

// The line that parse_spec() reads; tokens at their defaults are left out.
std::string to_text(const Spec& spec);

// Strides in elements of a tensor stored like that.
Dims strides_of(const Storage& storage, const Dims& shape);

}  // namespace heed::perf
