// SPDX-License-Identifier: Apache-2.0
// heed: attention over keys in parts. Results over disjoint sets of keys, each with its lse, become the result
// over all of them. This header is the C++ API and its manual; heed/merge.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float out[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, lse[2] = {0.0f, 0.0f};   // one row over each of two parts
//   float all[4], all_lse;
//   const heed::PartialResult parts[] = {
//       {heed::bhnd(out[0], 1, 1, 1, 4), heed::bhnd(&lse[0], 1, 1, 1, 1)},
//       {heed::bhnd(out[1], 1, 1, 1, 4), heed::bhnd(&lse[1], 1, 1, 1, 1)}};
//   const heed::Status status =
//       heed::merge(parts, heed::bhnd(all, 1, 1, 1, 4), heed::bhnd(&all_lse, 1, 1, 1, 1));   // all: 3 4 5 6
//   if (!status.ok() || all[0] != 3.0f) std::fprintf(stderr, "%s\n", status.message());
//
// ---- What it computes -----------------------------------------------------------------------
//
// For each row, over its parts p:
//
//   lse = log(sum of exp(lse_p))          out = sum of exp(lse_p - lse) * out_p
//
// which is the attention over all keys: lse is the logarithm of a row's sum of exp(score). A part whose lse is
// minus infinity saw nothing and adds nothing, even if its out holds NaN; where all are, out is 0 and lse minus
// infinity. A lse of plus infinity or NaN, and NaN in an out that counts, make the row's out NaN. A sink belongs
// into one part only. Source: "FlashAttention" (arXiv 2205.14135), section 3.1; "Flash-Decoding" (2023).
//
// Accuracy: computed in double and rounded once. What a lse in float cannot hold (half a unit in its last
// place, 2^-25 * |lse|) shows in the shares of the parts: out is off by up to 2^-24 * max|lse_p| * max|out_p|.
// attention() merges the parts that it cuts long keys into with references and sums of its own, without that.
#pragma once

#include <optional>
#include <span>

#include <heed/status.hpp>
#include <heed/tensor.hpp>

namespace heed {

// What attention() answers for some of the keys.
struct PartialResult {
  ConstTensor out;  // [batch, q_heads, q_len, value_dim]
  ConstTensor lse;  // [batch, q_heads, q_len, 1]
};

// Merges one part or more, all of the shapes of out and lse; strides are each tensor's own.
// Aliasing: out and lse must not overlap the parts or each other. Serial, thread-safe. Allocates a few hundred bytes a
// part. Errors: as attention(), with names as "parts[1].out"; nothing is written then.
HEED_API Status merge(std::span<const PartialResult> parts, const Tensor& out,
                      const std::optional<Tensor>& lse = {}) noexcept;

}  // namespace heed
