// SPDX-License-Identifier: Apache-2.0
// heed: query scaling. Softmax fades as keys grow more; a factor on the query that grows with their number keeps
// it sharp. This header is the C99 API and its manual; heed/query_scaling.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float q[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, scaled[2][4]; /* two heads, one row of four channels */
//   const float s[2] = {1.0f, 0.5f};
//   heed_query_scaling scaling;
//   heed_const_tensor from = heed_const_tensor_bhnd(&q[0][0], 1, 2, 1, 4);
//   heed_tensor to = heed_tensor_bhnd(&scaled[0][0], 1, 2, 1, 4);
//   char message[HEED_MESSAGE_SIZE];
//   heed_query_scaling_init(&scaling);
//   scaling.factors = s;
//   scaling.factors_count = 2;
//   scaling.key_count = 100; /* n */
//   int32_t status = heed_scale_queries(&from, &scaling, &to, 0, NULL, message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   if (scaled[0][0] < 4.605f || scaled[0][0] > 4.606f) return 1; /* log(100) */
//
// Given as heed_options.query_scaling, heed_attention() does the same to the rows of each tile as it reads them,
// and no scaled copy of q exists. Both give the same bits. Plain softmax is the default.
//
// ---- What it computes -----------------------------------------------------------------------
//
// For batch item b, query head h, row i and channel c, with n keys:
//
//   L = log(max(n, 1))                                      out[b, h, i, c] = q[b, h, i, c] * factor * gate
//
//   factors   factor = factors[h] * L                       gate = 1                                     (SSMax)
//   base      factor = base(L)[h, c], or base(L)[h]         gate = 1 + tanh(mlp(q[b, h, i])[c]), or of one output
//             for all channels                              for all channels; none given: 1            (QASSMax)
//
// where base and mlp are w2 GELU(w1 x + b1) + b2 with the exact GELU. The query is read as it is given: after rotary
// positions and norms, before the attention's scale, which still follows. Keys are never scaled.
//
// n is the caller's: one number, one for each batch item, or one for each batch item and row; it is never derived
// from a mask. Less than 1 counts as 1. Accuracy is as heed/query_scaling.hpp says.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

// w2 GELU(w1 x + b1) + b2. Weights lie [out][in], side by side; lists come with their count, as a check. This struct
// never grows.
typedef struct heed_scaling_mlp {
  const float* w1;
  int64_t w1_count;
  const float* b1;
  int64_t b1_count;  // the hidden size
  const float* w2;
  int64_t w2_count;
  const float* b2;
  int64_t b2_count;  // the number of outputs
} heed_scaling_mlp;

// Either factors or a base; a gate only with a base. Zero bytes mean "not given". `size` is as in heed_options.
typedef struct heed_query_scaling {
  size_t size;
  const float* factors;  // [q_heads]
  int64_t factors_count;
  heed_scaling_mlp base;      // of one input; q_heads * head_dim outputs, head by head, or q_heads
  heed_scaling_mlp gate;      // of head_dim inputs; head_dim outputs, or one
  int64_t key_count;          // n; 0: kv_len of the attention (heed_scale_queries() has none, and needs it)
  const int64_t* key_counts;  // n for each batch item, or for each batch item and row, row by row; NULL: key_count
  int64_t key_counts_count;   // batch, or batch * q_len
} heed_query_scaling;

// Nothing given, size set. Writes exactly the struct of version 0.1, also in later libraries.
HEED_C_API void heed_query_scaling_init(heed_query_scaling* query_scaling);

// Scales q [batch, q_heads, q_len, head_dim] into out of the same shape; strides are each tensor's own.
// Aliasing: out may be q itself (same data and strides); else it must not overlap q. No weights may overlap out.
// threads and isa as in heed_options; rows are shared, and a row's bits depend on nothing else. Allocates what the
// factors and threads need. Answers a heed_status, and a message as heed_attention() does; nothing is written on an
// error.
HEED_C_API int32_t heed_scale_queries(const heed_const_tensor* q, const heed_query_scaling* query_scaling,
                                      const heed_tensor* out, int32_t threads, const char* isa, char* message,
                                      size_t message_size);

#ifdef __cplusplus
}
#endif
