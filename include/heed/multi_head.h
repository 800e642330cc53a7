// SPDX-License-Identifier: Apache-2.0
// heed: multi-head attention as models hold it: projections of tokens to queries, keys and values, one attention
// call, and an output projection. This header is the C99 API and its manual; heed/multi_head.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   /* 2 heads of 1 channel. Queries and keys are the two channels of a token; values swap them. */
//   const float same[] = {1, 0, 0, 1}, swap[] = {0, 1, 1, 0};
//   const float x[] = {1, 0, 0, 1, 2, 2}; /* three tokens */
//   float out[6];
//   heed_multi_head module;
//   heed_multi_head_init(&module);
//   module.q_heads = module.kv_heads = 2;
//   module.w_q = module.w_k = module.w_o = heed_linear_of(same, 2, 2);
//   module.w_v = heed_linear_of(swap, 2, 2);
//   heed_const_tensor tokens = heed_const_tensor_bhnd(x, 1, 1, 3, 2);
//   heed_tensor result = heed_tensor_bhnd(out, 1, 1, 3, 2);
//   char message[HEED_MESSAGE_SIZE];
//   int32_t status =
//       heed_multi_head_attention(&module, &tokens, &tokens, &result, NULL, message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   if (out[0] < 1.420f || out[0] > 1.421f) return 1; /* (0 e + 1 + 2 e^2) / (e + 1 + e^2) */
//
// ---- What it computes -----------------------------------------------------------------------
//
// As heed/multi_head.hpp says: out = w_o attention(w_q x, w_k context, w_v context), with the heads' norms, rotation
// and query scaling where they are given.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/attention.h>
#include <heed/rotary.h>
#include <heed/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

// y = w x + bias. A view: the weights are the caller's, [outputs][inputs] in any strides.
typedef struct heed_linear {
  const float* weights;
  int64_t outputs;
  int64_t inputs;
  int64_t output_stride;  // in elements
  int64_t input_stride;
  const float* bias;   // [outputs]; NULL: none
  int64_t bias_count;  // outputs
  const void* packed;  // set by heed_pack(); NULL: not packed
} heed_linear;

// Weights side by side, without bias.
HEED_C_API heed_linear heed_linear_of(const float* weights, int64_t outputs, int64_t inputs);
// Some of the outputs, such as w_q, w_k and w_v of one packed matrix.
HEED_C_API heed_linear heed_some_outputs(const heed_linear* all, int64_t first, int64_t count);

// Copies the weights once into `memory`, in the layout that oneDNN multiplies few rows by, and notes it in the layer,
// which reads it where 64 rows or fewer are projected at a time; more rows read `weights`, which stay needed.
// heed_packed_size() says how much memory, at any alignment; 0 without oneDNN, and nothing is noted then.
HEED_C_API int32_t heed_packed_size(const heed_linear* linear, size_t* bytes, char* message, size_t message_size);
HEED_C_API int32_t heed_pack(heed_linear* linear, void* memory, size_t bytes, char* message, size_t message_size);

// Off without weights.
typedef struct heed_rms_norm {
  const float* weights;   // [head_dim], the same for all heads
  int64_t weights_count;  // head_dim
  float epsilon;          // PyTorch's default is 2^-23
} heed_rms_norm;

// Where tokens stand, for rotary positions. Positions are as in heed_rotary_options.
typedef struct heed_head_rotation {
  heed_rotary_table table;
  int32_t pairs;  // heed_rotary_pairs
  int64_t first_query;
  int64_t first_key;
  const int64_t* query_positions;
  int64_t query_positions_count;
  const int64_t* key_positions;
  int64_t key_positions_count;
} heed_head_rotation;

// Views of a module's weights. `size` as in heed_options; heed_multi_head_init() sets it, and all else to "not given".
typedef struct heed_multi_head {
  size_t size;
  int64_t q_heads;
  int64_t kv_heads;  // a divisor of q_heads
  heed_linear w_q;   // [q_heads * head_dim][channels of x]
  heed_linear w_k;   // [kv_heads * head_dim][channels of context]
  heed_linear w_v;   // [kv_heads * value_dim][channels of context]
  heed_linear w_o;   // [any][q_heads * value_dim]
  heed_rms_norm q_norm;
  heed_rms_norm k_norm;
  const heed_head_rotation* rotation;  // NULL: none
} heed_multi_head;

HEED_C_API void heed_multi_head_init(heed_multi_head* module);

// The whole module.
//   x       [batch, 1, q_len, channels]        context [batch, 1, kv_len, channels]
//   out     [batch, 1, q_len, outputs of w_o]
// x or context with batch stride 0 is projected once for the whole batch. Channels lie side by side. options may be
// NULL; they are those of the attention call, of q [batch, q_heads, q_len, head_dim] and so on; its threads share all
// of the work, and its scratch is for all of it: heed_multi_head_scratch_size() says how much.
// Aliasing: out, lse and weights must not overlap inputs or each other; x and context may be the same.
// Errors: as heed_attention(), with names as "w_q"; nothing is written then.
HEED_C_API int32_t heed_multi_head_attention(const heed_multi_head* module, const heed_const_tensor* x,
                                             const heed_const_tensor* context, const heed_tensor* out,
                                             const heed_options* options, char* message, size_t message_size);
HEED_C_API int32_t heed_multi_head_scratch_size(const heed_multi_head* module, const heed_const_tensor* x,
                                                const heed_const_tensor* context, const heed_tensor* out,
                                                const heed_options* options, size_t* bytes, char* message,
                                                size_t message_size);  // data of the tensors may be NULL

// Its two halves. First keys, normalised and rotated, and values of a context, into tensors of the caller's in any
// strides but for channels, which lie side by side: [batch, kv_heads, kv_len, head_dim], and value_dim. w_q and w_o
// need not be given.
HEED_C_API int32_t heed_project_kv(const heed_multi_head* module, const heed_const_tensor* context,
                                   const heed_tensor* k, const heed_tensor* v, int32_t threads, char* message,
                                   size_t message_size);

// Then queries of x against such keys and values, and the output projection. The number of KV heads is k's. w_k and
// w_v need not be given.
HEED_C_API int32_t heed_attend(const heed_multi_head* module, const heed_const_tensor* x, const heed_const_tensor* k,
                               const heed_const_tensor* v, const heed_tensor* out, const heed_options* options,
                               char* message, size_t message_size);
HEED_C_API int32_t heed_attend_scratch_size(const heed_multi_head* module, const heed_const_tensor* x,
                                            const heed_const_tensor* k, const heed_const_tensor* v,
                                            const heed_tensor* out, const heed_options* options, size_t* bytes,
                                            char* message, size_t message_size);

#ifdef __cplusplus
}
#endif
