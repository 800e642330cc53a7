// SPDX-License-Identifier: Apache-2.0
// heed_merge() from C99: the parts of one call become the call, and mistakes are told.
#include <heed/merge.h>
#include <math.h>
#include <string.h>

#include "c_api_test.h"

void test_merge(void) {
  static small_call whole, first, second;
  static float merged[OUT_SIZE], merged_lse[ROWS];
  make_small_call(&whole);
  make_small_call(&first);
  make_small_call(&second);
  whole.options.lse = &whole.lse;
  first.options.lse = &first.lse;
  second.options.lse = &second.lse;
  first.k.shape[2] = first.v.shape[2] = 2;
  second.k.shape[2] = second.v.shape[2] = KV_LEN - 2;
  second.k.data = second.k_data + 2 * second.k.strides[2];
  second.v.data = second.v_data + 2 * second.v.strides[2];
  check(run(&whole) == HEED_OK && run(&first) == HEED_OK && run(&second) == HEED_OK, "merge: the calls run");

  heed_partial_result parts[2];
  parts[0].out = heed_const_tensor_bhnd(first.out_data, BATCH, Q_HEADS, Q_LEN, VALUE_DIM);
  parts[0].lse = heed_const_tensor_bhnd(first.lse_data, BATCH, Q_HEADS, Q_LEN, 1);
  parts[1].out = heed_const_tensor_bhnd(second.out_data, BATCH, Q_HEADS, Q_LEN, VALUE_DIM);
  parts[1].lse = heed_const_tensor_bhnd(second.lse_data, BATCH, Q_HEADS, Q_LEN, 1);
  heed_tensor out = heed_tensor_bhnd(merged, BATCH, Q_HEADS, Q_LEN, VALUE_DIM);
  heed_tensor lse = heed_tensor_bhnd(merged_lse, BATCH, Q_HEADS, Q_LEN, 1);
  char message[HEED_MESSAGE_SIZE];
  check(heed_merge(parts, 2, &out, &lse, message, sizeof message) == HEED_OK, "merge: two parts");
  int is_right = 1;
  for (int n = 0; n < OUT_SIZE; ++n) is_right &= fabsf(merged[n] - whole.out_data[n]) < 1e-6f;
  for (int n = 0; n < ROWS; ++n) is_right &= fabsf(merged_lse[n] - whole.lse_data[n]) < 1e-6f;
  check(is_right, "merge: what one call over all keys gives");
  check(heed_merge(parts, 2, &out, NULL, message, sizeof message) == HEED_OK, "merge: lse may be NULL");

  check(heed_merge(NULL, 2, &out, NULL, message, sizeof message) == HEED_NULL_DATA && strstr(message, "parts") != NULL,
        "merge: parts NULL");
  check(heed_merge(parts, 2, NULL, NULL, message, sizeof message) == HEED_NULL_DATA && strstr(message, "out") != NULL,
        "merge: out NULL");
  check(heed_merge(parts, 0, &out, NULL, message, sizeof message) == HEED_BAD_SIZE, "merge: no parts");
  check(heed_merge(parts, (size_t)-1, &out, NULL, message, sizeof message) == HEED_OUT_OF_MEMORY,
        "merge: a count that no memory holds");
  parts[1].lse.shape[2] = 1;
  check(heed_merge(parts, 2, &out, NULL, message, sizeof message) == HEED_SHAPE_MISMATCH &&
            strstr(message, "parts[1].lse") != NULL,
        "merge: a part of another shape is named");
}
