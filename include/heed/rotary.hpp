// SPDX-License-Identifier: Apache-2.0
// heed: rotary position embedding. Turns pairs of channels by an angle that grows with the position, so that the
// product of a query and a key depends on how far apart they are. This header is the C++ API and its manual;
// heed/rotary.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float x[3][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};   // three tokens of one head
//   float cosines[3 * 2], sines[3 * 2];
//   heed::RotaryTable table{cosines, sines, 3, 4};                 // positions 0..2, 4 channels
//   heed::Status status = heed::fill_rotary_table(table);
//   const heed::Tensor tokens = heed::bhnd(&x[0][0], 1, 1, 3, 4);
//   if (status.ok()) status = heed::rotate(tokens, table, tokens);  // in place
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//   // token p: cos(p) 0 sin(p) 0
//
// ---- What it computes -----------------------------------------------------------------------
//
// For the token at position p and pair i < width / 2:
//
//   angle = p * f[i],  f[i] = theta^(-2i / width)
//   a' = a cos(angle) - b sin(angle)
//   b' = b cos(angle) + a sin(angle)
//
// where (a, b) are channels (i, i + width/2), split_half, or (2i, 2i + 1), interleaved. Channels from width on are
// copied. Models differ in the layout of pairs: GPT-NeoX, Llama as converted, TabICL v2 and TabPFN v3 split halves.
//
// Accuracy: angles, sines and cosines are computed in double and rounded once; a result is off by at most
// 2^-22 * (|a| + |b|). Products are rounded, then their sum: one table gives the same bits on every CPU. Models often
// hold f in float: give such frequencies, since p * f then differs from the exact by up to p * 2^-25. Source:
// "RoFormer" (arXiv 2104.09864).
#pragma once

#include <cstdint>
#include <span>

#include <heed/status.hpp>
#include <heed/tensor.hpp>

namespace heed {

// The caller's memory for sines and cosines, made once and used by any number of calls: [positions][width / 2] each.
struct RotaryTable {
  float* cosines = nullptr;
  float* sines = nullptr;
  std::int64_t positions = 0;  // p = 0 .. positions - 1
  std::int64_t width = 0;      // channels that turn; even
};

// Fills the table for f[i] = theta^(-2i / width), theta > 0; or for frequencies of the caller's, width / 2 of them.
// Errors: width odd or negative, memory that is null, overlaps or is too large to exist, theta or a frequency with
// which an angle is not finite; nothing is written then.
HEED_API Status fill_rotary_table(const RotaryTable& table, double theta = 10000.0) noexcept;
HEED_API Status fill_rotary_table(const RotaryTable& table, std::span<const double> frequencies) noexcept;

enum class RotaryPairs : std::int32_t { split_half = 0, interleaved = 1 };

struct RotaryOptions {
  RotaryPairs pairs = RotaryPairs::split_half;
  std::int64_t first_position = 0;            // of token 0, where there are no positions: p = first_position + token
  std::span<const std::int64_t> positions{};  // of each token, [tokens]; or of each batch item's, [batch][tokens]
  int threads = 0;                            // as in heed::Options
};

// Turns x [batch, heads, tokens, head_dim] into out of the same shape; strides are each tensor's own.
// Aliasing: out may be x itself (same data and strides); else it must not overlap x. The table must not overlap out.
// Threads: tokens are shared; bits depend on nothing else. Allocates nothing.
// Errors: as attention(); a width larger than head_dim; a position that the table lacks, with its place; positions
// whose count was forgotten. Nothing is written then.
HEED_API Status rotate(const ConstTensor& x, const RotaryTable& table, const Tensor& out,
                       const RotaryOptions& options = {}) noexcept;

}  // namespace heed
