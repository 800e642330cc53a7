// SPDX-License-Identifier: Apache-2.0
// The C API from C99: one line per check, and a last line "N passed, N failed". The path is the one
// that HEED_PATH names.
#include "c_api_test.h"

#include <stdio.h>

static int passed = 0;
static int failed = 0;

void check(int is_right, const char* what) {
  printf("%s: %s\n", is_right ? "ok" : "FAILED", what);
  *(is_right ? &passed : &failed) += 1;
}

static void fill(float* values, int count, unsigned state) {
  for (int index = 0; index < count; ++index) {
    state = state * 1664525u + 1013904223u;
    values[index] = (float)(state >> 16) / 16384.0f - 2.0f;
  }
}

void make_small_call(small_call* call) {
  fill(call->q_data, ROWS * HEAD_DIM, 1);
  fill(call->k_data, BATCH * KV_HEADS * KV_LEN * HEAD_DIM, 2);
  fill(call->v_data, BATCH * KV_HEADS * KV_LEN * VALUE_DIM, 3);
  for (int index = 0; index < OUT_SIZE; ++index) call->out_data[index] = 1234.0f;
  for (int index = 0; index < ROWS; ++index) call->lse_data[index] = 1234.0f;
  for (int index = 0; index < WEIGHTS_SIZE; ++index) call->weights_data[index] = 1234.0f;
  call->q = heed_const_tensor_bhnd(call->q_data, BATCH, Q_HEADS, Q_LEN, HEAD_DIM);
  call->k = heed_const_tensor_bhnd(call->k_data, BATCH, KV_HEADS, KV_LEN, HEAD_DIM);
  call->v = heed_const_tensor_bhnd(call->v_data, BATCH, KV_HEADS, KV_LEN, VALUE_DIM);
  call->out = heed_tensor_bhnd(call->out_data, BATCH, Q_HEADS, Q_LEN, VALUE_DIM);
  call->lse = heed_tensor_bhnd(call->lse_data, BATCH, Q_HEADS, Q_LEN, 1);
  call->weights = heed_tensor_bhnd(call->weights_data, BATCH, Q_HEADS, Q_LEN, KV_LEN);
  heed_options_init(&call->options);
}

int32_t run(small_call* call) {
  return heed_attention(&call->q, &call->k, &call->v, &call->out, &call->options, call->message, sizeof call->message);
}

int main(void) {
  test_options();
  test_structs();
  test_errors();
  test_explain();
  test_cross_check();
  test_merge();
  test_query_scaling();
  test_rotary();
  test_classes();
  test_multi_head();
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
