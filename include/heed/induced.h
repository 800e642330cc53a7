// SPDX-License-Identifier: Apache-2.0
// heed: induced attention, N -> K -> N. K learned points read N tokens, and the tokens read what the points have read.
// This header is the C99 API and its manual; heed/induced.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   const float one[] = {1}, point[] = {0}, x[] = {1, 2, 6}; /* one channel; one point, three tokens */
//   float hidden[1], out[3];
//   heed_multi_head module;
//   heed_multi_head_init(&module);
//   module.w_q = module.w_k = module.w_v = module.w_o = heed_linear_of(one, 1, 1);
//   heed_const_tensor points = heed_const_tensor_bhnd(point, 1, 1, 1, 1);
//   heed_const_tensor tokens = heed_const_tensor_bhnd(x, 1, 1, 3, 1);
//   heed_tensor read = heed_tensor_bhnd(hidden, 1, 1, 1, 1), result = heed_tensor_bhnd(out, 1, 1, 3, 1);
//   char message[HEED_MESSAGE_SIZE];
//   int32_t status = heed_induced_attention(&module, &module, &points, &tokens, &tokens, &read, &result, NULL, NULL,
//                                           message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   if (out[2] != 3.0f) return 1; /* the mean of the tokens */
//
// ---- What it computes -----------------------------------------------------------------------
//
//   hidden = heed_multi_head_attention(induce, points, context)      points read the context
//   out    = heed_multi_head_attention(spread, x, hidden)            tokens read the points
//
// There is nothing between the two: models put norms, residuals and a feed-forward there, and make the two calls
// themselves, with a stride of 0 over the batch for points that all items share.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/multi_head.h>

#ifdef __cplusplus
extern "C" {
#endif

//   points [1 or batch, 1, K, channels]       hidden [batch, 1, K, outputs of induce->w_o]     an output as well
//   context [batch, 1, N, channels]           out    [batch, 1, q_len, outputs of spread->w_o]
//   x       [batch, 1, q_len, channels]       context may be x, or a view of it with fewer tokens
//
// Options may be NULL; a context of ragged lengths gives them in induce_options.
// Aliasing: neither hidden nor out may overlap an input or the other.
// Errors: as heed_multi_head_attention(), after "induce: " or "spread: "; nothing is written then.
HEED_C_API int32_t heed_induced_attention(const heed_multi_head* induce, const heed_multi_head* spread,
                                          const heed_const_tensor* points, const heed_const_tensor* context,
                                          const heed_const_tensor* x, const heed_tensor* hidden, const heed_tensor* out,
                                          const heed_options* induce_options, const heed_options* spread_options,
                                          char* message, size_t message_size);

#ifdef __cplusplus
}
#endif
