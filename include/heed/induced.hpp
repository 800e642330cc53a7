// SPDX-License-Identifier: Apache-2.0
// heed: induced attention, N -> K -> N. K learned points read N tokens, and the tokens read what the points have read:
// 2 N K scores where self attention has N^2. This header is the C++ API and its manual; heed/induced.h is the same
// for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   const float one[] = {1}, point[] = {0}, x[] = {1, 2, 6};   // one channel; one point, three tokens
//   heed::InducedAttention module;
//   module.induce.w_q = module.induce.w_k = module.induce.w_v = module.induce.w_o = heed::linear(one, 1, 1);
//   module.spread = module.induce;
//   float hidden[1], out[3];
//   const heed::ConstTensor tokens = heed::bhnd(x, 1, 1, 3, 1);
//   const heed::Status status =
//       heed::induced_attention(module, heed::bhnd(point, 1, 1, 1, 1), tokens, tokens, heed::bhnd(hidden, 1, 1, 1, 1),
//                               heed::bhnd(out, 1, 1, 3, 1));
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//   // hidden: {3}, the mean of the tokens, which a query of 0 weighs alike; out: {3, 3, 3}
//
// ---- What it computes -----------------------------------------------------------------------
//
//   hidden = multi_head_attention(induce, points, context)      points read the context
//   out    = multi_head_attention(spread, x, hidden)            tokens read the points
//
// There is nothing between the two: models put norms, residuals and a feed-forward there, and make the two calls
// themselves. for_each_item() is then what gives all batch items the same points, which are projected and scaled once.
//
// Accuracy, threads, memory and errors: as multi_head_attention(). Sources: "Set Transformer" (arXiv 1810.00825);
// the column stages of TabICLv2 (arXiv 2602.11139) and TabPFN.
#pragma once

#include <cstdint>

#include <heed/multi_head.hpp>

namespace heed {

struct InducedAttention {
  MultiHeadAttention induce, spread;
};

// Of each of the two calls. Lengths, key masks and query scaling usually are the first one's: a context of ragged
// lengths gives them in induce.lengths.
struct InducedOptions {
  Options induce{}, spread{};
};

// One item, [1, ...], as all items of a batch.
constexpr ConstTensor for_each_item(ConstTensor item, std::int64_t batch) noexcept {
  if (item.shape[0] == 1 && batch != 1) {
    item.shape[0] = batch;
    item.strides[0] = 0;
  }
  return item;
}

//   points [1 or batch, 1, K, channels]       hidden [batch, 1, K, induce.w_o.outputs]     an output as well
//   context [batch, 1, N, channels]           out    [batch, 1, q_len, spread.w_o.outputs]
//   x       [batch, 1, q_len, channels]       context may be x, or a view of it with fewer tokens
// Aliasing: neither hidden nor out may overlap an input or the other.
// Errors: as multi_head_attention(), after "induce: " or "spread: "; nothing is written then.
HEED_API Status induced_attention(const InducedAttention& module, const ConstTensor& points, const ConstTensor& context,
                                  const ConstTensor& x, const Tensor& hidden, const Tensor& out,
                                  const InducedOptions& options = {}) noexcept;

}  // namespace heed
