// SPDX-License-Identifier: Apache-2.0
// Somebody else's C program: weights 1/8, 2/8 and 5/8 of the values 8, 16 and 24 make 20.
#include <heed/attention.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const float q[1] = {1.0f};
  const float k[3] = {0.0f, 0.69314718f, 1.60943791f};
  const float v[3] = {8.0f, 16.0f, 24.0f};
  const float scale = 1.0f;
  float result = 0.0f;
  heed_options options;
  heed_options_init(&options);
  options.scale = &scale;
  options.threads = 2;

  const heed_const_tensor q_tensor = heed_const_tensor_bhnd(q, 1, 1, 1, 1);
  const heed_const_tensor k_tensor = heed_const_tensor_bhnd(k, 1, 1, 3, 1);
  const heed_const_tensor v_tensor = heed_const_tensor_bhnd(v, 1, 1, 3, 1);
  const heed_tensor out = heed_tensor_bhnd(&result, 1, 1, 1, 1);
  char message[HEED_MESSAGE_SIZE];
  if (heed_attention(&q_tensor, &k_tensor, &v_tensor, &out, &options, message, sizeof message) != HEED_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  printf("heed %s: %f\n", heed_version(), result);
  return fabsf(result - 20.0f) < 1e-4f ? 0 : 1;
}
