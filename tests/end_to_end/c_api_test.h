// SPDX-License-Identifier: Apache-2.0
// One small call for the tests of the C API, and how they count.
#pragma once

#include <heed/attention.h>

enum { BATCH = 2, Q_HEADS = 4, KV_HEADS = 2, Q_LEN = 3, KV_LEN = 5, HEAD_DIM = 4, VALUE_DIM = 2 };
enum { ROWS = BATCH * Q_HEADS * Q_LEN, OUT_SIZE = ROWS * VALUE_DIM, WEIGHTS_SIZE = ROWS * KV_LEN };

typedef struct small_call {
  float q_data[ROWS * HEAD_DIM], k_data[BATCH * KV_HEADS * KV_LEN * HEAD_DIM],
      v_data[BATCH * KV_HEADS * KV_LEN * VALUE_DIM];
  float out_data[OUT_SIZE], lse_data[ROWS], weights_data[WEIGHTS_SIZE];
  heed_const_tensor q, k, v;
  heed_tensor out, lse, weights;
  heed_options options;
  char message[HEED_MESSAGE_SIZE];
} small_call;

// Tensors of some values between -2 and 2, no options; outputs hold 1234.
void make_small_call(small_call* call);
int32_t run(small_call* call);

// Prints one line and counts it.
void check(int is_right, const char* what);

void test_options(void);
void test_structs(void);
void test_errors(void);
void test_explain(void);
void test_cross_check(void);
void test_merge(void);
void test_query_scaling(void);
void test_rotary(void);
void test_classes(void);
void test_multi_head(void);
