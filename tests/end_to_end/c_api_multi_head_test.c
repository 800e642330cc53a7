// SPDX-License-Identifier: Apache-2.0
// The module and induced attention from C99: known answers, halves, scratch, packed weights, and what mistakes are
// told.
#include <heed/induced.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_api_test.h"

enum { TOKENS = 3, CHANNELS = 2 };

// Two heads of one channel: each weighs the tokens by a channel, and reads the other one.
static const float tokens_data[TOKENS * CHANNELS] = {1, 0, 0, 1, 2, 2};
static const float same[] = {1, 0, 0, 1}, swap[] = {0, 1, 1, 0}, bias[] = {0.5f, -0.25f};

static double expected(int row, int head) {
  double sum = 0.0, weighed = 0.0;
  for (int n = 0; n < TOKENS; ++n) {
    const double weight = exp((double)tokens_data[row * CHANNELS + head] * (double)tokens_data[n * CHANNELS + head]);
    sum += weight;
    weighed += weight * (double)tokens_data[n * CHANNELS + 1 - head];
  }
  return weighed / sum + (double)bias[head];
}

static int is_right(const float* out) {
  for (int row = 0; row < TOKENS; ++row)
    for (int head = 0; head < CHANNELS; ++head)
      if (fabs(out[row * CHANNELS + head] - expected(row, head)) > 1e-6) return 0;
  return 1;
}

static heed_multi_head small_module(void) {
  heed_multi_head module;
  heed_multi_head_init(&module);
  module.q_heads = module.kv_heads = CHANNELS;
  module.w_q = module.w_k = module.w_o = heed_linear_of(same, CHANNELS, CHANNELS);
  module.w_v = heed_linear_of(swap, CHANNELS, CHANNELS);
  module.w_o.bias = bias;
  module.w_o.bias_count = CHANNELS;
  return module;
}

static void test_pack(heed_multi_head module, const heed_const_tensor* x) {
  float out[TOKENS * CHANNELS] = {0};
  const heed_tensor to = heed_tensor_bhnd(out, 1, 1, TOKENS, CHANNELS);
  char message[HEED_MESSAGE_SIZE];
  size_t bytes = 1;
  int32_t status = heed_packed_size(&module.w_q, &bytes, message, sizeof message);
  void* memory = malloc(bytes + 1);
  check(status == HEED_OK && heed_pack(&module.w_q, memory, bytes, message, sizeof message) == HEED_OK &&
            (module.w_q.packed != NULL) == (bytes > 0),
        "multi_head: packs");
  check(heed_multi_head_attention(&module, x, x, &to, NULL, message, sizeof message) == HEED_OK && is_right(out),
        "multi_head: packed weights");
  check(bytes == 0 || (heed_pack(&module.w_q, memory, bytes - 1, message, sizeof message) == HEED_SCRATCH_TOO_SMALL &&
                       strstr(message, "memory: ") == message),
        "multi_head: too little memory for packed weights");
  check(heed_packed_size(&module.w_q, NULL, message, sizeof message) == HEED_NULL_DATA &&
            heed_pack(NULL, memory, bytes, message, sizeof message) == HEED_NULL_DATA,
        "multi_head: packing, NULL");
  free(memory);
}

static void test_mistakes(heed_multi_head module, const heed_const_tensor* x) {
  float out[TOKENS * CHANNELS] = {7};
  const heed_tensor to = heed_tensor_bhnd(out, 1, 1, TOKENS, CHANNELS);
  char message[HEED_MESSAGE_SIZE];
  heed_multi_head wrong = module;
  wrong.w_o.bias_count = 0;
  check(heed_multi_head_attention(&wrong, x, x, &to, NULL, message, sizeof message) == HEED_SHAPE_MISMATCH &&
            strstr(message, "w_o.bias: 0 values, expected 2") != NULL,
        "multi_head: a bias without its count");
  wrong = module;
  wrong.size = 3;
  check(heed_multi_head_attention(&wrong, x, x, &to, NULL, message, sizeof message) == HEED_BAD_SIZE &&
            strstr(message, "heed_multi_head_init") != NULL,
        "multi_head: an uninitialised struct is told");
  heed_head_rotation rotation;
  memset(&rotation, 0, sizeof rotation);
  float cosines[TOKENS], sines[TOKENS];
  const heed_rotary_table table = {cosines, sines, TOKENS, 2};
  rotation.table = table;
  wrong = module;
  wrong.rotation = &rotation;
  check(heed_multi_head_attention(&wrong, x, x, &to, NULL, message, sizeof message) != HEED_OK &&
            strstr(message, "width") != NULL,
        "multi_head: a rotation wider than a head");
  check(heed_multi_head_attention(NULL, x, x, &to, NULL, message, sizeof message) == HEED_NULL_DATA &&
            heed_attend(&module, x, NULL, x, &to, NULL, message, sizeof message) == HEED_NULL_DATA &&
            heed_project_kv(&module, x, &to, NULL, 0, message, sizeof message) == HEED_NULL_DATA &&
            heed_multi_head_scratch_size(&module, x, x, &to, NULL, NULL, message, sizeof message) == HEED_NULL_DATA &&
            out[0] == 7.0f,
        "multi_head: NULL");
}

static void test_induced(const heed_multi_head* module, const heed_const_tensor* x) {
  // A point of zeros weighs the tokens alike; one key is all that the tokens read then.
  const float point[CHANNELS] = {0, 0};
  float hidden[CHANNELS], out[TOKENS * CHANNELS];
  const heed_const_tensor points = heed_const_tensor_bhnd(point, 1, 1, 1, CHANNELS);
  const heed_tensor read = heed_tensor_bhnd(hidden, 1, 1, 1, CHANNELS);
  const heed_tensor to = heed_tensor_bhnd(out, 1, 1, TOKENS, CHANNELS);
  char message[HEED_MESSAGE_SIZE];
  check(heed_induced_attention(module, module, &points, x, x, &read, &to, NULL, NULL, message, sizeof message) ==
                HEED_OK &&
            fabsf(hidden[0] - 1.5f) < 1e-6f && fabsf(hidden[1] - 0.75f) < 1e-6f && fabsf(out[5] - 1.25f) < 1e-6f,
        "induced: the mean, read by all tokens");
  heed_tensor wrong = read;
  wrong.shape[2] = 2;
  check(heed_induced_attention(module, module, &points, x, x, &wrong, &to, NULL, NULL, message, sizeof message) ==
                HEED_SHAPE_MISMATCH &&
            strstr(message, "induce: out") == message,
        "induced: says which call");
  check(heed_induced_attention(module, module, &points, x, x, &to, NULL, NULL, NULL, message, sizeof message) ==
            HEED_NULL_DATA,
        "induced: NULL");
}

void test_multi_head(void) {
  const heed_multi_head module = small_module();
  const heed_const_tensor x = heed_const_tensor_bhnd(tokens_data, 1, 1, TOKENS, CHANNELS);
  float out[TOKENS * CHANNELS] = {0}, k[TOKENS * CHANNELS], v[TOKENS * CHANNELS];
  const heed_tensor to = heed_tensor_bhnd(out, 1, 1, TOKENS, CHANNELS);
  char message[HEED_MESSAGE_SIZE];
  size_t bytes = 0;
  heed_options options;
  heed_options_init(&options);
  int32_t status = heed_multi_head_scratch_size(&module, &x, &x, &to, &options, &bytes, message, sizeof message);
  options.scratch = malloc(bytes);
  options.scratch_size = bytes;
  check(status == HEED_OK && bytes > 0 &&
            heed_multi_head_attention(&module, &x, &x, &to, &options, message, sizeof message) == HEED_OK &&
            is_right(out),
        "multi_head: what it gives");
  free(options.scratch);

  const heed_tensor keys = heed_tensor_bhnd(k, 1, CHANNELS, TOKENS, 1),
                    values = heed_tensor_bhnd(v, 1, CHANNELS, TOKENS, 1);
  const heed_const_tensor known_keys = heed_const_tensor_bhnd(k, 1, CHANNELS, TOKENS, 1);
  const heed_const_tensor known_values = heed_const_tensor_bhnd(v, 1, CHANNELS, TOKENS, 1);
  memset(out, 0, sizeof out);
  check(heed_project_kv(&module, &x, &keys, &values, 1, message, sizeof message) == HEED_OK && v[0] == tokens_data[1] &&
            heed_attend_scratch_size(&module, &x, &known_keys, &known_values, &to, NULL, &bytes, message,
                                     sizeof message) == HEED_OK &&
            heed_attend(&module, &x, &known_keys, &known_values, &to, NULL, message, sizeof message) == HEED_OK &&
            is_right(out),
        "multi_head: its halves");
  const heed_linear second = heed_some_outputs(&module.w_o, 1, 1);
  check(second.weights == same + 2 && second.outputs == 1 && second.bias == bias + 1 && second.bias_count == 1,
        "multi_head: some outputs of a layer");
  test_pack(module, &x);
  test_mistakes(module, &x);
  test_induced(&module, &x);
}
