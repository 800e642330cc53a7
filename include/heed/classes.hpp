// SPDX-License-Identifier: Apache-2.0
// heed: attention over labelled keys. Where the value of a key is its class, one-hot, the result of a row is how much
// weight it gives to each class: a distribution over classes. The classes are read as indices, and no V exists. This
// header is the C++ API and its manual; heed/classes.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   // One head, 2 queries that read 4 labelled keys of 8 channels; 3 classes.
//   std::vector<float> q(2 * 8, 0.0f), k(4 * 8, 1.0f), out(2 * 3);
//   const std::int32_t labels[4] = {2, 0, 2, 2};
//   const heed::Status status = heed::attention_classes(
//       heed::bhnd(q.data(), 1, 1, 2, 8), heed::bhnd(k.data(), 1, 1, 4, 8), heed::class_indices(labels, 1, 4),
//       heed::bhnd(out.data(), 1, 1, 2, 3));
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//   // each row of out: 0.25 0 0.75
//   if (out[0] != 0.25f || out[1] != 0.0f || out[2] != 0.75f) return 1;
//
// ---- What it computes -----------------------------------------------------------------------
//
//   out[b, h, i, c] = sum over visible keys j with classes[b, j] == c of weight[b, h, i, j]
//
// with weight, visibility, lse and every option as in heed/attention.hpp: the result of attention() with a V of
// [batch, kv_heads, kv_len, value_dim] that holds 1 where channel c is the class of key j, and 0 elsewhere. All heads
// read the same classes. value_dim, the number of classes, is that of out.
//
// Accuracy, and on what a row's bits depend: as attention(), max|v| being 1. With a V the same sums are added up in
// another order; on standard normal inputs the two are within 1e-6 of each other.
// Time: a key costs one addition a row, however many classes there are; a V costs one for each. With head_dim 64 and
// 1000 rows over 5000 keys, 160 classes take a third of the time of a V, 10 the same, 2 a tenth more.
// Source: the decoder of TabPFN v3 (PriorLabs/TabPFN, src/tabpfn/architectures/tabpfn_v3.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <heed/attention.hpp>

namespace heed {

// The class of each key, [batch, kv_len] with batch full or 1: 0 to value_dim - 1. Strides count elements and may be 0.
// Every index is checked, whatever masks hide its key, but for those from lengths[b] on, which may hold anything and
// are not read: an unlabelled key stands there, or has any valid class and is hidden.
struct ClassIndices {
  const std::int32_t* data = nullptr;
  std::array<std::int64_t, 2> shape{};
  std::array<std::int64_t, 2> strides{};
};
constexpr ClassIndices class_indices(const std::int32_t* data, std::int64_t batch, std::int64_t kv_len) noexcept {
  return {data, {batch, kv_len}, {kv_len, 1}};
}

// Computes out (and lse, weights when asked for); q, k, out and options as in attention(), with value_dim of 1 or more.
// Errors: as attention(); an index that is no class, with its place. The onednn path reads no classes: `unsupported`
// where Options::path or HEED_PATH names it.
HEED_API Status attention_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes,
                                  const Tensor& out, const Options& options = {}) noexcept;

// As scratch_size(). Data pointers may be null, and no index is checked.
HEED_API Status scratch_size_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes,
                                     const Tensor& out, const Options& options, std::size_t& bytes) noexcept;

}  // namespace heed
