// SPDX-License-Identifier: Apache-2.0
// Every option of the C API against plain loops that read the same struct.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "c_api_test.h"

static int64_t position_of(const heed_options* options, int b, int i) {
  if (options->position == NULL) return i;
  switch (options->position->kind) {
    case HEED_BOTTOM_RIGHT: return i + KV_LEN - Q_LEN;
    case HEED_OFFSET: return i + options->position->value;
    case HEED_PER_BATCH: return i + options->position->values[b];
    default: return i;
  }
}

static int is_hidden(int cell, int32_t polarity) { return (cell != 0) == (polarity == HEED_BLOCKED); }

static int64_t cell_of(const int64_t shape[4], const int64_t strides[4], int b, int h, int i, int j) {
  const int64_t place[4] = {b, h, i, j};
  int64_t cell = 0;
  for (int d = 0; d < 4; ++d) cell += shape[d] == 1 ? 0 : place[d] * strides[d];
  return cell;
}

static int is_visible(const heed_options* options, int b, int h, int i, int j) {
  const int64_t p = position_of(options, b, i);
  const heed_mask* mask = options->mask;
  const heed_key_mask* keys = options->key_mask;
  if (options->causal && j > p) return 0;
  if (options->window != NULL && options->window->left >= 0 && j < p - options->window->left) return 0;
  if (options->window != NULL && options->window->right >= 0 && j > p + options->window->right) return 0;
  if (options->lengths != NULL && j >= options->lengths[b]) return 0;
  if (keys != NULL && is_hidden(keys->data[b * keys->strides[0] + j * keys->strides[1]], keys->polarity)) return 0;
  if (mask == NULL) return 1;
  return !is_hidden(mask->data[cell_of(mask->shape, mask->strides, b, h, i, j)], mask->polarity);
}

static double score_of(const small_call* call, int b, int h, int i, int j) {
  const heed_options* options = &call->options;
  const float* q = call->q_data + ((b * Q_HEADS + h) * Q_LEN + i) * HEAD_DIM;
  const float* k = call->k_data + ((b * KV_HEADS + h / (Q_HEADS / KV_HEADS)) * KV_LEN + j) * HEAD_DIM;
  double score = 0.0;
  for (int c = 0; c < HEAD_DIM; ++c) score += (double)q[c] * k[c];
  score *= options->scale != NULL ? *options->scale : 1.0 / sqrt(HEAD_DIM);
  if (options->soft_cap > 0.0f) score = options->soft_cap * tanh(score / options->soft_cap);
  if (options->bias != NULL) {
    const heed_const_tensor* bias = options->bias;
    score += ((const float*)bias->data)[cell_of(bias->shape, bias->strides, b, h, i, j)];
  }
  if (options->slopes != NULL) score -= options->slopes[h] * fabs((double)(position_of(options, b, i) - j));
  return score;
}

// The largest difference to out, lse and weights of the call.
static double largest_error(const small_call* call) {
  double worst = 0.0;
  for (int row = 0; row < ROWS; ++row) {
    const int i = row % Q_LEN, h = row / Q_LEN % Q_HEADS, b = row / Q_LEN / Q_HEADS;
    const float* v = call->v_data + (b * KV_HEADS + h / (Q_HEADS / KV_HEADS)) * KV_LEN * VALUE_DIM;
    double weights[KV_LEN], out[VALUE_DIM] = {0};
    double sum = call->options.sinks != NULL ? exp(call->options.sinks[h]) : 0.0;
    for (int j = 0; j < KV_LEN; ++j) {
      weights[j] = is_visible(&call->options, b, h, i, j) ? exp(score_of(call, b, h, i, j)) : 0.0;
      sum += weights[j];
    }
    for (int j = 0; j < KV_LEN; ++j) {
      weights[j] = sum > 0.0 ? weights[j] / sum : 0.0;
      worst = fmax(worst, fabs(weights[j] - call->weights_data[row * KV_LEN + j]));
      for (int c = 0; c < VALUE_DIM; ++c) out[c] += weights[j] * v[j * VALUE_DIM + c];
    }
    for (int c = 0; c < VALUE_DIM; ++c) worst = fmax(worst, fabs(out[c] - call->out_data[row * VALUE_DIM + c]));
    if (sum > 0.0) worst = fmax(worst, fabs(log(sum) - call->lse_data[row]));
    if (sum == 0.0) worst = fmax(worst, call->lse_data[row] == -INFINITY ? 0.0 : INFINITY);
  }
  return worst;
}

static float plain_out[OUT_SIZE];

// The call is right by the loops above and its option made a difference.
static void check_call(small_call* call, const char* what) {
  call->options.lse = &call->lse;
  call->options.weights = &call->weights;
  const int32_t status = run(call);
  if (status != HEED_OK) printf("status %d: %s\n", (int)status, call->message);
  check(status == HEED_OK && largest_error(call) < 4e-6, what);
  check(memcmp(plain_out, call->out_data, sizeof plain_out) != 0, "... and it changes the result");
}

void test_options(void) {
  static small_call call;
  make_small_call(&call);
  check_call(&call, "no option");
  memcpy(plain_out, call.out_data, sizeof plain_out);

  const float scale = -0.25f;
  make_small_call(&call);
  call.options.scale = &scale;
  check_call(&call, "scale");

  make_small_call(&call);
  call.options.soft_cap = 0.5f;
  check_call(&call, "soft_cap");

  float bias_data[Q_LEN * KV_LEN];
  for (int index = 0; index < Q_LEN * KV_LEN; ++index) bias_data[index] = (float)(index % 4) - 1.0f;
  const heed_const_tensor bias = {bias_data, {1, 1, Q_LEN, KV_LEN}, {0, 0, KV_LEN, 1}, HEED_F32};
  make_small_call(&call);
  call.options.bias = &bias;
  check_call(&call, "bias, the same for all heads");

  const float slopes[Q_HEADS] = {1.0f, 0.5f, 0.25f, 0.125f};
  const heed_position bottom_right = {HEED_BOTTOM_RIGHT, 0, NULL, 0};
  make_small_call(&call);
  call.options.slopes = slopes;
  call.options.slopes_count = Q_HEADS;
  call.options.position = &bottom_right;
  check_call(&call, "slopes from the bottom right");

  const float sinks[Q_HEADS] = {0.0f, 1.0f, -2.0f, 3.0f};
  make_small_call(&call);
  call.options.sinks = sinks;
  call.options.sinks_count = Q_HEADS;
  check_call(&call, "sinks");

  const uint8_t cells[BATCH * KV_LEN] = {0, 1, 0, 0, 1, 1, 1, 0, 0, 0};
  const heed_key_mask blocked_keys = heed_blocked_keys(cells, BATCH, KV_LEN);
  const heed_key_mask allowed_keys = heed_allowed_keys(cells, BATCH, KV_LEN);
  make_small_call(&call);
  call.options.key_mask = &blocked_keys;
  check_call(&call, "key_mask of blocked keys");
  make_small_call(&call);
  call.options.key_mask = &allowed_keys;
  check_call(&call, "key_mask of allowed keys");

  const int64_t lengths[BATCH] = {0, 4};
  make_small_call(&call);
  call.options.lengths = lengths;
  call.options.lengths_count = BATCH;
  check_call(&call, "lengths, one of them 0");

  uint8_t pairs[Q_HEADS * Q_LEN * KV_LEN];
  for (int index = 0; index < Q_HEADS * Q_LEN * KV_LEN; ++index) pairs[index] = index % 3 == 0;
  const heed_mask blocked = heed_blocked(pairs, 1, Q_HEADS, Q_LEN, KV_LEN);
  const heed_mask allowed = heed_allowed(pairs, 1, Q_HEADS, Q_LEN, KV_LEN);
  make_small_call(&call);
  call.options.mask = &blocked;
  check_call(&call, "mask of blocked pairs");
  make_small_call(&call);
  call.options.mask = &allowed;
  check_call(&call, "mask of allowed pairs");

  const int64_t offsets[BATCH] = {1, -1};
  const heed_position positions[] = {
      {HEED_TOP_LEFT, 0, NULL, 0}, bottom_right, {HEED_OFFSET, 1, NULL, 0}, {HEED_PER_BATCH, 0, offsets, BATCH}};
  const char* const causal[] = {"causal from the top left", "causal from the bottom right", "causal with an offset",
                                "causal with offsets"};
  for (int index = 0; index < 4; ++index) {
    make_small_call(&call);
    call.options.causal = 1;
    call.options.position = &positions[index];
    check_call(&call, causal[index]);
  }

  const heed_window left = {1, -1}, right = {-1, 0};
  make_small_call(&call);
  call.options.window = &left;
  call.options.position = &positions[2];
  check_call(&call, "window to the left");
  make_small_call(&call);
  call.options.window = &right;
  call.options.position = &positions[2];
  check_call(&call, "window to the right");
}
