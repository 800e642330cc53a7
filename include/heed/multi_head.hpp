// SPDX-License-Identifier: Apache-2.0
// heed: multi-head attention as models hold it: projections of tokens to queries, keys and values, one attention
// call, and an output projection. This header is the C++ API and its manual; heed/multi_head.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   // 2 heads of 1 channel. Queries and keys are the two channels of a token; values swap them.
//   const float same[] = {1, 0, 0, 1}, swap[] = {0, 1, 1, 0};
//   heed::MultiHeadAttention module;
//   module.q_heads = module.kv_heads = 2;
//   module.w_q = module.w_k = module.w_o = heed::linear(same, 2, 2);
//   module.w_v = heed::linear(swap, 2, 2);
//   const float x[] = {1, 0, 0, 1, 2, 2};   // three tokens
//   float out[6];
//   const heed::ConstTensor tokens = heed::bhnd(x, 1, 1, 3, 2);
//   const heed::Status status = heed::multi_head_attention(module, tokens, tokens, heed::bhnd(out, 1, 1, 3, 2));
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//   // out[0] = (0 e + 1 + 2 e^2) / (e + 1 + e^2): head 0 weighs by channel 0, and reads channel 1
//
// ---- What it computes -----------------------------------------------------------------------
//
//   q = w_q x        k = w_k context        v = w_v context          for each token, biases added
//   q = rms_norm(q), k = rms_norm(k)        for each head, where norms are given
//   q = rotate(q),   k = rotate(k)          where a rotation is given
//   q = scale(q)                            where Options::query_scaling is given
//   out = w_o attention(q, k, v)            heads side by side
//
//   rms_norm(y)[c] = y[c] / sqrt(mean(y^2) + epsilon) * weights[c]
//
// Channels of a projection are head-major: channel c of head h is output h * head_dim + c. Nothing is transposed or
// repeated: the attention call reads heads by strides. Every softmax is attention()'s.
//
//   self attention              context is x
//   cross attention             context is another sequence
//   read the first rows only    context is a view of x with fewer tokens
//   keys and values kept        project_kv() once, attend() with any number of query batches
//   fewer heads for some rows   attend() with k and v narrowed to their first heads (shape[1] less, same strides)
//
// Accuracy: that of attention() on the projections, which are sums in float; within the tolerances of the models'
// own modules in float (tests/data/README.md). Sources: "Attention Is All You Need" (arXiv 1706.03762); TabICLv2
// (arXiv 2602.11139) and TabPFN, whose modules these calls are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <heed/attention.hpp>
#include <heed/rotary.hpp>
#include <heed/status.hpp>
#include <heed/tensor.hpp>

namespace heed {

// y = w x + bias. A view: the weights are the caller's, [outputs][inputs] in any strides. oneDNN multiplies where it
// is built in and one of the two strides is 1 and the other as large as a row; else plain loops do, some 5 times
// slower.
struct Linear {
  const float* weights = nullptr;
  std::int64_t outputs = 0, inputs = 0;
  std::int64_t output_stride = 0, input_stride = 0;  // in elements
  std::span<const float> bias{};                     // [outputs]; empty: none
  const std::byte* packed = nullptr;                 // set by pack(); null: not packed
};
// Weights side by side.
constexpr Linear linear(const float* weights, std::int64_t outputs, std::int64_t inputs,
                        std::span<const float> bias = {}) noexcept {
  return {weights, outputs, inputs, inputs, 1, bias};
}
// Some of the outputs, such as w_q, w_k and w_v of one packed matrix.
constexpr Linear some_outputs(const Linear& all, std::int64_t first, std::int64_t count) noexcept {
  Linear some = all;
  some.packed = nullptr;
  some.weights += first * all.output_stride;
  some.outputs = count;
  if (!all.bias.empty()) some.bias = all.bias.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  return some;
}

// Copies the weights once into memory of the caller's, in the layout that oneDNN multiplies few rows by, and notes it
// in the layer, which reads it where 64 rows or fewer are projected at a time: at 512 x 512, one row takes 0.4 and 16
// rows 0.6 of the time. More rows read `weights`, which stay needed. packed_size() says how much memory, at any
// alignment. Without oneDNN
// that is 0, and nothing is noted; nor is it where oneDNN doesn't take the strides.
// Errors: as multi_head_attention(), with the name "linear"; memory that is too small.
HEED_API Status packed_size(const Linear& linear, std::size_t& bytes) noexcept;
HEED_API Status pack(Linear& linear, std::span<std::byte> memory) noexcept;

// Off without weights.
struct RmsNorm {
  std::span<const float> weights{};  // [head_dim], the same for all heads
  float epsilon = 0.0f;              // PyTorch's default is 2^-23
};

// Where tokens stand, for rotary positions. Positions are as in RotaryOptions.
struct HeadRotation {
  RotaryTable table;
  RotaryPairs pairs = RotaryPairs::split_half;
  std::int64_t first_query = 0, first_key = 0;
  std::span<const std::int64_t> query_positions{}, key_positions{};
};

// Views of a module's weights; owns nothing, and costs nothing to make.
struct MultiHeadAttention {
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;  // a divisor of q_heads
  Linear w_q;                 // [q_heads * head_dim][channels of x]
  Linear w_k;                 // [kv_heads * head_dim][channels of context]
  Linear w_v;                 // [kv_heads * value_dim][channels of context]
  Linear w_o;                 // [any][q_heads * value_dim]
  RmsNorm q_norm{}, k_norm{};
  std::optional<HeadRotation> rotation{};
};

// The whole module.
//   x       [batch, 1, q_len, channels]        context [batch, 1, kv_len, channels]
//   out     [batch, 1, q_len, w_o.outputs]
// x or context with batch stride 0 is projected once for the whole batch. Channels lie side by side. Options are
// those of the attention call, of q [batch, q_heads, q_len, head_dim] and so on; its threads share all of the work,
// and its scratch is for all of it: multi_head_scratch_size() says how much.
// Aliasing: out, lse and weights must not overlap inputs or each other; x and context may be the same.
// Memory: q, k, v and the attended rows of some batch items at a time, about 4096 rows. oneDNN allocates besides.
// Threads: bits don't depend on their number. A row's bits depend on the number of rows that are projected in one
// call, since oneDNN chooses its code by it: rows that must not change when others come or go are given in calls of
// their own.
// Errors: as attention(), with names as "w_q"; nothing is written then.
HEED_API Status multi_head_attention(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& context,
                                     const Tensor& out, const Options& options = {}) noexcept;
HEED_API Status multi_head_scratch_size(const MultiHeadAttention& module, const ConstTensor& x,
                                        const ConstTensor& context, const Tensor& out, const Options& options,
                                        std::size_t& bytes) noexcept;  // data pointers of tensors may be null

// Its two halves. First keys, normalised and rotated, and values of a context, into tensors of the caller's in any
// strides but for channels, which lie side by side: [batch, kv_heads, kv_len, head_dim], and value_dim.
// w_q and w_o need not be given.
HEED_API Status project_kv(const MultiHeadAttention& module, const ConstTensor& context, const Tensor& k,
                           const Tensor& v, int threads = 0) noexcept;

// Then queries of x against such keys and values, and the output projection. The number of KV heads is k's.
// w_k and w_v need not be given.
HEED_API Status attend(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k,
                       const ConstTensor& v, const Tensor& out, const Options& options = {}) noexcept;
HEED_API Status attend_scratch_size(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k,
                                    const ConstTensor& v, const Tensor& out, const Options& options,
                                    std::size_t& bytes) noexcept;

}  // namespace heed
