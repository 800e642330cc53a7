// SPDX-License-Identifier: Apache-2.0
// heed_scale_queries() and the option from C99: against plain loops and each other, and what mistakes are told.
#include <heed/query_scaling.h>
#include <math.h>
#include <string.h>

#include "c_api_test.h"

enum { HIDDEN = 3 };

static double gelu(double x) { return 0.5 * x * (1.0 + erf(x / sqrt(2.0))); }

// Output `o` of a gate or base.
static double output_of(const heed_scaling_mlp* mlp, const double* inputs, int input_count, int o) {
  double sum = mlp->b2[o];
  for (int j = 0; j < HIDDEN; ++j) {
    double hidden = mlp->b1[j];
    for (int c = 0; c < input_count; ++c) hidden += mlp->w1[j * input_count + c] * inputs[c];
    sum += mlp->w2[o * HIDDEN + j] * gelu(hidden);
  }
  return sum;
}

void test_query_scaling(void) {
  static small_call with_option, scaled_before;
  static float scaled[ROWS * HEAD_DIM];
  static float base_w1[HIDDEN], base_b1[HIDDEN], base_w2[Q_HEADS * HEAD_DIM * HIDDEN], base_b2[Q_HEADS * HEAD_DIM];
  static float gate_w1[HIDDEN * HEAD_DIM], gate_b1[HIDDEN], gate_w2[HEAD_DIM * HIDDEN], gate_b2[HEAD_DIM];
  float* const weights[] = {base_w1, base_b1, base_w2, base_b2, gate_w1, gate_b1, gate_w2, gate_b2};
  const int sizes[] = {
      HIDDEN,  HIDDEN, Q_HEADS * HEAD_DIM * HIDDEN, Q_HEADS * HEAD_DIM, HIDDEN * HEAD_DIM, HIDDEN, HEAD_DIM * HIDDEN,
      HEAD_DIM};
  for (int w = 0; w < 8; ++w)
    for (int n = 0; n < sizes[w]; ++n) weights[w][n] = (float)((n * 7 + w * 3) % 11 - 5) / 8.0f;

  const int64_t counts[BATCH] = {4, 50};
  heed_query_scaling scaling;
  heed_query_scaling_init(&scaling);
  const heed_scaling_mlp base = {base_w1, sizes[0], base_b1, sizes[1], base_w2, sizes[2], base_b2, sizes[3]};
  const heed_scaling_mlp gate = {gate_w1, sizes[4], gate_b1, sizes[5], gate_w2, sizes[6], gate_b2, sizes[7]};
  scaling.base = base;
  scaling.gate = gate;
  scaling.key_counts = counts;
  scaling.key_counts_count = BATCH;

  make_small_call(&with_option);
  make_small_call(&scaled_before);
  heed_tensor out = heed_tensor_bhnd(scaled, BATCH, Q_HEADS, Q_LEN, HEAD_DIM);
  char message[HEED_MESSAGE_SIZE];
  check(heed_scale_queries(&with_option.q, &scaling, &out, 1, NULL, message, sizeof message) == HEED_OK,
        "query scaling: the function runs");
  double worst = 0.0;
  for (int row = 0; row < ROWS; ++row) {
    const float* q = with_option.q_data + row * HEAD_DIM;
    const int b = row / (Q_HEADS * Q_LEN), h = row / Q_LEN % Q_HEADS;
    const double log_n = log((double)counts[b]);
    double query[HEAD_DIM];
    for (int c = 0; c < HEAD_DIM; ++c) query[c] = q[c];
    for (int c = 0; c < HEAD_DIM; ++c) {
      const double factor = output_of(&base, &log_n, 1, h * HEAD_DIM + c);
      const double wanted = query[c] * factor * (1.0 + tanh(output_of(&gate, query, HEAD_DIM, c)));
      worst = fmax(worst, fabs(wanted - scaled[row * HEAD_DIM + c]));
    }
  }
  check(worst < 1e-5, "query scaling: what plain loops give");

  with_option.options.query_scaling = &scaling;
  scaled_before.q = heed_const_tensor_bhnd(scaled, BATCH, Q_HEADS, Q_LEN, HEAD_DIM);
  check(run(&with_option) == HEED_OK && run(&scaled_before) == HEED_OK, "query scaling: the calls run");
  int is_same = 1;
  for (int n = 0; n < OUT_SIZE; ++n) is_same &= fabsf(with_option.out_data[n] - scaled_before.out_data[n]) < 1e-6f;
  check(is_same, "query scaling: the option does what the function does");

  scaling.base.b2_count = 5;
  check(run(&with_option) == HEED_BAD_SIZE && strstr(with_option.message, "query_scaling.base.b2") != NULL,
        "query scaling: a wrong count is named");
  scaling.size = 3;
  check(run(&with_option) == HEED_BAD_SIZE && strstr(with_option.message, "heed_query_scaling_init") != NULL,
        "query scaling: an uninitialised struct is told");
  check(heed_scale_queries(&with_option.q, NULL, &out, 1, NULL, message, sizeof message) == HEED_NULL_DATA,
        "query scaling: NULL");
}
