// SPDX-License-Identifier: Apache-2.0
// heed: query scaling. Softmax fades as keys grow more; a factor on the query that grows with their number keeps
// it sharp. This header is the C++ API and its manual; heed/query_scaling.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float q[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, scaled[2][4];   // two heads, one row of four channels
//   const float s[2] = {1.0f, 0.5f};
//   heed::QueryScaling scaling = heed::ssmax(s);
//   scaling.key_counts.value = 100;                               // n
//   const heed::Status status =
//       heed::scale_queries(heed::bhnd(&q[0][0], 1, 2, 1, 4), scaling, heed::bhnd(&scaled[0][0], 1, 2, 1, 4));
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//   // scaled: q * 4.605 for the first head, q * 2.303 for the second; log(100) is 4.605
//
// Given as Options::query_scaling, attention() does the same to the rows of each tile as it reads them, and no
// scaled copy of q exists. Both give the same bits. Plain softmax is the default.
//
// ---- What it computes -----------------------------------------------------------------------
//
// For batch item b, query head h, row i and channel c, with n keys:
//
//   L = log(max(n, 1))                                      out[b, h, i, c] = q[b, h, i, c] * factor * gate
//
//   ssmax     factor = s[h] * L                             gate = 1
//   qassmax   factor = base(L)[h, c], or base(L)[h]         gate = 1 + tanh(mlp(q[b, h, i])[c]), or of one output
//             for all channels                              for all channels; one gate for all heads; none: 1
//
// where base and mlp are w2 GELU(w1 x + b1) + b2 with the exact GELU, x/2 (1 + erf(x / sqrt 2)). The query is read
// as it is given: after rotary positions and norms, before the scale 1/sqrt(head_dim), which is the attention's and
// still follows. Keys are never scaled, so a cache of keys stays valid for any n.
//
// n is the caller's: one number, one for each batch item, or one for each batch item and row; it is never derived
// from a mask. Models differ: TabPFN and TabICL mean all keys of the call, masked or not; others the visible ones.
// Less than 1 counts as 1: ssmax then scales by 0, qassmax by base(0).
//
// Accuracy: factors are computed in double and rounded once; without a gate a result is off by at most 2^-23 of it.
// The gate is computed in float: with a hidden layer of 64 and sums of a few units, it is within 2e-6.
// Source: "Scalable-Softmax Is Superior for Attention" (arXiv 2501.19399); "TabICLv2" (arXiv 2602.11139).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <heed/status.hpp>
#include <heed/tensor.hpp>

namespace heed {

// w2 GELU(w1 x + b1) + b2. Weights lie [out][in], side by side; the hidden size is that of b1.
struct ScalingMlp {
  std::span<const float> w1, b1, w2, b2;
};

// n: one value, or `values` where they are given.
struct KeyCounts {
  std::int64_t value = 0;                  // 0: kv_len of the attention; scale_queries() has none, and needs it
  std::span<const std::int64_t> values{};  // one for each batch item, or for each batch item and row, row by row
};

// Either factors or a base; a gate only with a base.
struct QueryScaling {
  std::span<const float> factors;  // s [q_heads]
  ScalingMlp base;                 // w1 [hidden][1], b1 [hidden], w2 [q_heads * head_dim or q_heads][hidden], b2
  ScalingMlp gate;                 // w1 [hidden][head_dim], b1 [hidden], w2 [head_dim or 1][hidden], b2
  KeyCounts key_counts;
};
inline QueryScaling ssmax(std::span<const float> factors, KeyCounts key_counts = {}) noexcept {
  return {factors, {}, {}, key_counts};
}
inline QueryScaling qassmax(const ScalingMlp& base, const ScalingMlp& gate = {}, KeyCounts key_counts = {}) noexcept {
  return {{}, base, gate, key_counts};
}

// How scale_queries() is carried out; all of it is as in heed::Options.
struct ScaleOptions {
  int threads = 0;
  std::string_view isa{};
};

// Scales q [batch, q_heads, q_len, head_dim] into out of the same shape; strides are each tensor's own.
// Aliasing: out may be q itself (same data and strides); else it must not overlap q. No weights may overlap out.
// Threads: rows are shared; a row's bits depend on nothing else. Allocates what the factors and threads need.
// Errors: as attention(), with names as "query_scaling.base.w2"; nothing is written then.
HEED_API Status scale_queries(const ConstTensor& q, const QueryScaling& query_scaling, const Tensor& out,
                              const ScaleOptions& options = {}) noexcept;

}  // namespace heed
