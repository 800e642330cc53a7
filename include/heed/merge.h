// SPDX-License-Identifier: Apache-2.0
// heed: attention over keys in parts. Results over disjoint sets of keys, each with its lse, become the result
// over all of them. This header is the C99 API and its manual; heed/merge.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8}, lse[2] = {0, 0}; /* one row over each of two parts */
//   float all[4], all_lse;
//   heed_partial_result parts[2];
//   heed_tensor out = heed_tensor_bhnd(all, 1, 1, 1, 4), out_lse = heed_tensor_bhnd(&all_lse, 1, 1, 1, 1);
//   char message[HEED_MESSAGE_SIZE];
//   parts[0].out = heed_const_tensor_bhnd(first, 1, 1, 1, 4);
//   parts[0].lse = heed_const_tensor_bhnd(&lse[0], 1, 1, 1, 1);
//   parts[1].out = heed_const_tensor_bhnd(second, 1, 1, 1, 4);
//   parts[1].lse = heed_const_tensor_bhnd(&lse[1], 1, 1, 1, 1);
//   int32_t status = heed_merge(parts, 2, &out, &out_lse, message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   if (all[0] != 3) return 1; /* all: 3 4 5 6 */
//
// ---- What it computes -----------------------------------------------------------------------
//
// For each row, over its parts p:
//
//   lse = log(sum of exp(lse_p))          out = sum of exp(lse_p - lse) * out_p
//
// which is the attention over all keys. A part whose lse is minus infinity saw nothing and adds nothing, even if
// its out holds NaN; where all are, out is 0 and lse minus infinity. A lse of plus infinity or NaN, and NaN in an
// out that counts, make the row's out NaN. A sink belongs into one part only.
//
// Accuracy: computed in double and rounded once; the rounding of the parts' lse leaves up to
// 2^-24 * max|lse_p| * max|out_p|.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

// What heed_attention() answers for some of the keys. This struct never grows.
typedef struct heed_partial_result {
  heed_const_tensor out;  // [batch, q_heads, q_len, value_dim]
  heed_const_tensor lse;  // [batch, q_heads, q_len, 1]
} heed_partial_result;

// Merges one part or more, all of the shapes of out and lse; strides are each tensor's own. lse may be NULL.
// Aliasing: out and lse must not overlap the parts or each other. Serial, thread-safe. Allocates a few hundred bytes a
// part. Answers a heed_status, and a message as heed_attention() does, with names as "parts[1].out"; nothing is written
// on an error.
HEED_C_API int32_t heed_merge(const heed_partial_result* parts, size_t count, const heed_tensor* out,
                              const heed_tensor* lse, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif
