// SPDX-License-Identifier: Apache-2.0
// heed: rotary position embedding. Turns pairs of channels by an angle that grows with the position, so that the
// product of a query and a key depends on how far apart they are. This header is the C99 API and its manual;
// heed/rotary.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   float x[3][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}; /* three tokens of one head */
//   float cosines[3 * 2], sines[3 * 2];
//   heed_rotary_table table = {cosines, sines, 3, 4}; /* positions 0..2, 4 channels */
//   heed_const_tensor from = heed_const_tensor_bhnd(&x[0][0], 1, 1, 3, 4);
//   heed_tensor to = heed_tensor_bhnd(&x[0][0], 1, 1, 3, 4); /* in place */
//   char message[HEED_MESSAGE_SIZE];
//   int32_t status = heed_fill_rotary_table(&table, 10000.0, NULL, 0, message, sizeof message);
//   if (status == HEED_OK) status = heed_rotate(&from, &table, &to, NULL, message, sizeof message);
//   if (status != HEED_OK) fputs(message, stderr);
//   if (x[2][0] > -0.416f || x[2][0] < -0.417f) return 1; /* token p: cos(p) 0 sin(p) 0 */
//
// ---- What it computes -----------------------------------------------------------------------
//
// For the token at position p and pair i < width / 2:
//
//   angle = p * f[i],  f[i] = theta^(-2i / width)
//   a' = a cos(angle) - b sin(angle)
//   b' = b cos(angle) + a sin(angle)
//
// where (a, b) are channels (i, i + width/2), HEED_SPLIT_HALF, or (2i, 2i + 1), HEED_INTERLEAVED. Channels from width
// on are copied. Accuracy is as heed/rotary.hpp says.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

// The caller's memory for sines and cosines, made once and used by any number of calls: [positions][width / 2] each.
// This struct never grows.
typedef struct heed_rotary_table {
  float* cosines;
  float* sines;
  int64_t positions;  // p = 0 .. positions - 1
  int64_t width;      // channels that turn; even
} heed_rotary_table;

// Fills the table for f[i] = theta^(-2i / width), theta > 0; or, where frequencies is not NULL, for those,
// width / 2 of them. Answers a heed_status, and a message as heed_attention() does; nothing is written on an error.
HEED_C_API int32_t heed_fill_rotary_table(const heed_rotary_table* table, double theta, const double* frequencies,
                                          int64_t frequencies_count, char* message, size_t message_size);

enum heed_rotary_pairs { HEED_SPLIT_HALF = 0, HEED_INTERLEAVED = 1 };

// Bytes of zero mean "not given". `size` is as in heed_options.
typedef struct heed_rotary_options {
  size_t size;
  int32_t pairs;             // heed_rotary_pairs
  int32_t threads;           // as in heed_options
  int64_t first_position;    // of token 0, where there are no positions: p = first_position + token
  const int64_t* positions;  // of each token, [tokens]; or of each batch item's, [batch][tokens]
  int64_t positions_count;
} heed_rotary_options;

// Nothing given, size set. Writes exactly the struct of version 0.1, also in later libraries.
HEED_C_API void heed_rotary_options_init(heed_rotary_options* options);

// Turns x [batch, heads, tokens, head_dim] into out of the same shape; strides are each tensor's own. options may be
// NULL: none given. Aliasing: out may be x itself (same data and strides); else it must not overlap x. The table must
// not overlap out. Tokens are shared among threads; bits depend on nothing else. Allocates nothing. Answers a
// heed_status, and a message as heed_attention() does; nothing is written on an error.
HEED_C_API int32_t heed_rotate(const heed_const_tensor* x, const heed_rotary_table* table, const heed_tensor* out,
                               const heed_rotary_options* options, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif
