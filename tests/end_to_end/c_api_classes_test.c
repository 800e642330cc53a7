// SPDX-License-Identifier: Apache-2.0
// heed_attention_classes() from C99: against the call with the V that the classes stand for, and what mistakes are
// told.
#include <heed/classes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_api_test.h"

void test_classes(void) {
  static small_call dense, by_class;
  static char scratch[1 << 20];
  make_small_call(&dense);
  make_small_call(&by_class);
  int32_t labels[BATCH * KV_LEN];
  for (int key = 0; key < BATCH * KV_LEN; ++key) {
    labels[key] = key * key % 3 % VALUE_DIM;
    for (int head = 0; head < KV_HEADS; ++head)
      for (int c = 0; c < VALUE_DIM; ++c)
        dense.v_data[((key / KV_LEN * KV_HEADS + head) * KV_LEN + key % KV_LEN) * VALUE_DIM + c] = labels[key] == c;
  }
  heed_class_indices classes = heed_class_indices_of(labels, BATCH, KV_LEN);
  char* const message = by_class.message;
  size_t bytes = 0;
  int32_t status = heed_scratch_size_classes(&by_class.q, &by_class.k, &classes, &by_class.out, &by_class.options,
                                             &bytes, message, HEED_MESSAGE_SIZE);
  const char* path = getenv("HEED_PATH");
  if (path != NULL && strcmp(path, "onednn") == 0) {
    check(status == HEED_UNSUPPORTED && strstr(message, "onednn reads no classes") != NULL,
          "classes: onednn says that it can't");
    return;
  }
  check(status == HEED_OK && bytes > 0 && bytes <= sizeof scratch, "classes: scratch size");
  by_class.options.scratch = scratch;
  by_class.options.scratch_size = bytes;
  by_class.options.lse = &by_class.lse;
  by_class.options.weights = &by_class.weights;
  dense.options.lse = &dense.lse;
  dense.options.weights = &dense.weights;
  status = heed_attention_classes(&by_class.q, &by_class.k, &classes, &by_class.out, &by_class.options, message,
                                  HEED_MESSAGE_SIZE);
  check(status == HEED_OK && run(&dense) == HEED_OK, "classes: the calls run");
  int is_same = 1;
  for (int n = 0; n < OUT_SIZE; ++n) is_same &= fabsf(by_class.out_data[n] - dense.out_data[n]) < 1e-6f;
  for (int n = 0; n < ROWS; ++n) is_same &= fabsf(by_class.lse_data[n] - dense.lse_data[n]) < 1e-5f;
  for (int n = 0; n < WEIGHTS_SIZE; ++n) is_same &= fabsf(by_class.weights_data[n] - dense.weights_data[n]) < 1e-6f;
  check(is_same, "classes: what the call with a V gives");

  labels[KV_LEN + 3] = VALUE_DIM;
  status = heed_attention_classes(&by_class.q, &by_class.k, &classes, &by_class.out, NULL, message, HEED_MESSAGE_SIZE);
  check(status == HEED_BAD_VALUE && strstr(message, "classes: [1, 3] is 2") != NULL,
        "classes: the place of a wrong index is told");
  status = heed_attention_classes(&by_class.q, &by_class.k, NULL, &by_class.out, NULL, message, HEED_MESSAGE_SIZE);
  check(status == HEED_NULL_DATA && strstr(message, "classes") != NULL, "classes: NULL");
  status = heed_scratch_size_classes(&by_class.q, &by_class.k, &classes, &by_class.out, NULL, NULL, message,
                                     HEED_MESSAGE_SIZE);
  check(status == HEED_NULL_DATA && strstr(message, "bytes") != NULL, "classes: no place for the scratch size");
}
