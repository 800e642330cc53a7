// SPDX-License-Identifier: Apache-2.0
// Rotary positions from C99: against plain loops, and what mistakes are told.
#include <heed/rotary.h>
#include <math.h>
#include <string.h>

#include "c_api_test.h"

enum { TOKENS = 5, HEADS = 2, WIDTH = 4, CHANNELS = 6 };

void test_rotary(void) {
  static float x[HEADS * TOKENS * CHANNELS], out[HEADS * TOKENS * CHANNELS];
  static float cosines[10 * WIDTH / 2], sines[10 * WIDTH / 2];
  for (int n = 0; n < HEADS * TOKENS * CHANNELS; ++n) x[n] = (float)(n * 5 % 13 - 6) / 4.0f;
  heed_rotary_table table = {cosines, sines, 10, WIDTH};
  const double frequencies[WIDTH / 2] = {1.0, 0.25};
  const int64_t positions[TOKENS] = {9, 0, 3, 3, 7};
  char message[HEED_MESSAGE_SIZE];
  heed_rotary_options options;
  heed_rotary_options_init(&options);
  options.pairs = HEED_INTERLEAVED;
  options.positions = positions;
  options.positions_count = TOKENS;
  heed_const_tensor from = heed_const_tensor_bhnd(x, 1, HEADS, TOKENS, CHANNELS);
  heed_tensor to = heed_tensor_bhnd(out, 1, HEADS, TOKENS, CHANNELS);
  check(heed_fill_rotary_table(&table, 0.0, frequencies, WIDTH / 2, message, sizeof message) == HEED_OK &&
            heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_OK,
        "rotary: runs");
  double worst = 0.0;
  for (int row = 0; row < HEADS * TOKENS; ++row) {
    const float *before = x + row * CHANNELS, *after = out + row * CHANNELS;
    for (int i = 0; i < WIDTH / 2; ++i) {
      const double angle = (double)positions[row % TOKENS] * frequencies[i];
      const double a = before[2 * i], b = before[2 * i + 1];
      worst = fmax(worst, fabs(after[2 * i] - (a * cos(angle) - b * sin(angle))));
      worst = fmax(worst, fabs(after[2 * i + 1] - (b * cos(angle) + a * sin(angle))));
    }
    for (int c = WIDTH; c < CHANNELS; ++c) worst = fmax(worst, fabs(after[c] - before[c]));
  }
  check(worst < 1e-6, "rotary: what plain loops give");

  to.data = x;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_OK && memcmp(x, out, sizeof x) == 0,
        "rotary: in place");
  options.positions_count = 0;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_BAD_SIZE &&
            strstr(message, "positions: 0 values, expected 5") != NULL,
        "rotary: positions without their count");
  options.positions_count = -1;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_BAD_SIZE &&
            strstr(message, "positions: -1 values") != NULL,
        "rotary: a negative count");
  options.positions_count = TOKENS;
  to.strides[2] = CHANNELS - 1;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_OVERLAP &&
            memcmp(x, out, sizeof x) == 0,
        "rotary: rows that overlap");
  to.strides[2] = CHANNELS;
  options.pairs = 7;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_BAD_VALUE &&
            strstr(message, "pairs") != NULL,
        "rotary: unknown pairs");
  options.size = 1;
  check(heed_rotate(&from, &table, &to, &options, message, sizeof message) == HEED_BAD_SIZE &&
            strstr(message, "heed_rotary_options_init") != NULL,
        "rotary: an uninitialised struct is told");
  check(heed_fill_rotary_table(&table, 1e4, NULL, WIDTH / 2, message, sizeof message) == HEED_NULL_DATA &&
            heed_fill_rotary_table(&table, 1e4, frequencies, -1, message, sizeof message) == HEED_SHAPE_MISMATCH,
        "rotary: frequencies");
  table.positions = INT64_MAX;
  check(heed_fill_rotary_table(&table, 1e4, NULL, 0, message, sizeof message) == HEED_SIZE_OVERFLOW &&
            heed_rotate(&from, &table, &to, NULL, message, sizeof message) == HEED_SIZE_OVERFLOW,
        "rotary: a table of no size");
  check(heed_rotate(NULL, &table, &to, NULL, message, sizeof message) == HEED_NULL_DATA, "rotary: NULL");
}
