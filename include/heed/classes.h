// SPDX-License-Identifier: Apache-2.0
// heed: attention over labelled keys. Where the value of a key is its class, one-hot, the result of a row is how much
// weight it gives to each class: a distribution over classes. The classes are read as indices, and no V exists. This
// header is the C99 API and its manual; heed/classes.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   /* One head, 2 queries that read 4 labelled keys of 8 channels; 3 classes. */
//   float q_data[2 * 8] = {0}, k_data[4 * 8] = {0}, out_data[2 * 3];
//   const int32_t labels[4] = {2, 0, 2, 2};
//   heed_const_tensor q = heed_const_tensor_bhnd(q_data, 1, 1, 2, 8), k = heed_const_tensor_bhnd(k_data, 1, 1, 4, 8);
//   heed_class_indices classes = heed_class_indices_of(labels, 1, 4);
//   heed_tensor out = heed_tensor_bhnd(out_data, 1, 1, 2, 3);
//   char message[HEED_MESSAGE_SIZE];
//   int32_t status = heed_attention_classes(&q, &k, &classes, &out, NULL, message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   /* each row of out: 0.25 0 0.75 */
//   if (out_data[0] != 0.25f || out_data[1] != 0.0f || out_data[2] != 0.75f) return 1;
//
// ---- What it computes -----------------------------------------------------------------------
//
//   out[b, h, i, c] = sum over visible keys j with classes[b, j] == c of weight[b, h, i, j]
//
// with weight, visibility, lse and every option as in heed/attention.h: the result of heed_attention() with a V of
// [batch, kv_heads, kv_len, value_dim] that holds 1 where channel c is the class of key j, and 0 elsewhere. All heads
// read the same classes. value_dim, the number of classes, is that of out. Accuracy is as heed/classes.hpp says.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/attention.h>

#ifdef __cplusplus
extern "C" {
#endif

// The class of each key, [batch, kv_len] with batch full or 1: 0 to value_dim - 1. Strides count elements and may be 0.
// Every index is checked, whatever masks hide its key, but for those from lengths[b] on, which may hold anything and
// are not read: an unlabelled key stands there, or has any valid class and is hidden. This struct never grows.
typedef struct heed_class_indices {
  const int32_t* data;
  int64_t shape[2];
  int64_t strides[2];
} heed_class_indices;

// Side by side.
HEED_C_API heed_class_indices heed_class_indices_of(const int32_t* data, int64_t batch, int64_t kv_len);

// Computes out (and lse, weights when asked for); q, k, out and options as in heed_attention(), with value_dim of 1 or
// more. Errors: as heed_attention(); an index that is no class, with its place. The onednn path reads no classes:
// HEED_UNSUPPORTED where the options or the environment variable HEED_PATH name it.
HEED_C_API int32_t heed_attention_classes(const heed_const_tensor* q, const heed_const_tensor* k,
                                          const heed_class_indices* classes, const heed_tensor* out,
                                          const heed_options* options, char* message, size_t message_size);

// As heed_scratch_size(). Data pointers may be NULL, and no index is checked.
HEED_C_API int32_t heed_scratch_size_classes(const heed_const_tensor* q, const heed_const_tensor* k,
                                             const heed_class_indices* classes, const heed_tensor* out,
                                             const heed_options* options, size_t* bytes, char* message,
                                             size_t message_size);

#ifdef __cplusplus
}
#endif
