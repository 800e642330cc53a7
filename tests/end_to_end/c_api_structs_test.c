// SPDX-License-Identifier: Apache-2.0
// What only C callers meet: struct sizes across versions, null pointers, message buffers, how a call is
// carried out, texts in the caller's memory.
#include <stdlib.h>
#include <string.h>

#include "c_api_test.h"

static int starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

static void check_refused(small_call* call, int32_t code, const char* message, const char* what) {
  check(run(call) == code && starts_with(call->message, message) && call->out_data[0] == 1234.0f, what);
}

// A newer caller's struct: this header's with four bytes behind it.
typedef struct newer_options {
  heed_options options;
  int32_t future[4];
} newer_options;

void test_structs(void) {
  static small_call call;
  heed_options options;
  memset(&options, 0xFF, sizeof options);
  heed_options_init(&options);
  check(options.size == sizeof options && options.scale == NULL && options.scratch_size == 0,
        "heed_options_init() sets every field");

  const heed_const_tensor packed = heed_const_tensor_bnhd(NULL, 2, 3, 5, 7);
  const heed_tensor written = heed_tensor_bnhd(NULL, 2, 3, 5, 7);
  check(packed.shape[1] == 3 && packed.strides[0] == 105 && packed.strides[1] == 7 && packed.strides[2] == 21 &&
            packed.strides[3] == 1 && memcmp(&packed, &written, sizeof packed) == 0,
        "bnhd tensors have the strides of [batch, tokens, heads, channels]");

  make_small_call(&call);
  call.options.size = offsetof(heed_options, threads);
  call.options.threads = -1;
  call.options.path = 99;
  check(run(&call) == HEED_OK, "an older, smaller struct is accepted and what lies behind it not read");
  call.options.size = sizeof call.options;
  check(run(&call) == HEED_BAD_VALUE, "... while the whole struct is read");

  newer_options newer;
  memset(&newer, 0, sizeof newer);
  newer.options.size = sizeof newer;
  check(heed_attention(&call.q, &call.k, &call.v, &call.out, &newer.options, NULL, 0) == HEED_OK,
        "a newer, larger struct is accepted when what heed doesn't know is 0");
  newer.future[2] = 1;
  const int32_t status =
      heed_attention(&call.q, &call.k, &call.v, &call.out, &newer.options, call.message, sizeof call.message);
  check(status == HEED_UNSUPPORTED && starts_with(call.message, "options: byte "),
        "... and unsupported when it is not");

  make_small_call(&call);
  call.options.size = 0;
  check_refused(&call, HEED_BAD_SIZE, "options: size is 0", "a struct without a size is refused");
  make_small_call(&call);
  memset(&call.options, 0xCD, sizeof call.options);
  check_refused(&call, HEED_BAD_SIZE, "options: size is ", "a struct that was never initialised is refused");
  make_small_call(&call);
  check(heed_attention(&call.q, &call.k, &call.v, &call.out, NULL, NULL, 0) == HEED_OK, "options may be NULL");
}

void test_errors(void) {
  static small_call call;
  make_small_call(&call);
  char* const message = call.message;
  const size_t size = sizeof call.message;
  check(heed_attention(NULL, &call.k, &call.v, &call.out, NULL, message, size) == HEED_NULL_DATA &&
            starts_with(message, "q: null pointer"),
        "q must be given");
  check(heed_attention(&call.q, NULL, &call.v, &call.out, NULL, message, size) == HEED_NULL_DATA &&
            starts_with(message, "k: null pointer"),
        "k must be given");
  check(heed_attention(&call.q, &call.k, NULL, &call.out, NULL, message, size) == HEED_NULL_DATA &&
            starts_with(message, "v: null pointer"),
        "v must be given");
  check(heed_attention(&call.q, &call.k, &call.v, NULL, NULL, message, size) == HEED_NULL_DATA &&
            starts_with(message, "out: null pointer"),
        "out must be given");
  check(heed_scratch_size(&call.q, &call.k, &call.v, &call.out, NULL, NULL, message, size) == HEED_NULL_DATA &&
            starts_with(message, "bytes: null pointer"),
        "bytes must be given");

  call.q.dtype = HEED_BF16;
  check_refused(&call, HEED_UNSUPPORTED, "q: dtype is bf16, expected f32", "a dtype that does not run is unsupported");
  call.q.dtype = 55;
  check_refused(&call, HEED_BAD_VALUE, "q: dtype is 55", "a dtype that does not exist is refused");

  const uint8_t cells[KV_LEN] = {0};
  heed_mask mask = heed_blocked(cells, 1, 1, 1, KV_LEN);
  make_small_call(&call);
  call.options.mask = &mask;
  mask.polarity = 0;
  check_refused(&call, HEED_BAD_VALUE, "mask: polarity is 0, expected 1 (HEED_BLOCKED) or 2",
                "a mask needs a polarity");
  heed_key_mask key_mask = heed_blocked_keys(cells, 1, KV_LEN);
  make_small_call(&call);
  call.options.key_mask = &key_mask;
  key_mask.polarity = 3;
  check_refused(&call, HEED_BAD_VALUE, "key_mask: polarity is 3", "a key_mask needs a polarity");

  const int64_t offsets[BATCH] = {0, 0};
  heed_position position = {0, 0, offsets, BATCH};
  make_small_call(&call);
  call.options.position = &position;
  check_refused(&call, HEED_BAD_VALUE, "position: kind is 0, expected 1 (top_left)", "a position needs a kind");
  position.kind = HEED_PER_BATCH;
  position.values_count = -1;
  check_refused(&call, HEED_SHAPE_MISMATCH, "position: -1 values, expected 2 (batch)", "a negative count is refused");
  make_small_call(&call);
  call.options.causal = 1;
  check_refused(&call, HEED_POSITION_MISSING, "position: not given", "a causal call of two lengths needs a position");

  const float slopes[Q_HEADS] = {0};
  make_small_call(&call);
  call.options.slopes = slopes;
  check_refused(&call, HEED_SHAPE_MISMATCH, "slopes: 0 values, expected 4 (q_heads)", "a count can't be forgotten");
  make_small_call(&call);
  call.options.isa = "sse9";
  check_refused(&call, HEED_UNKNOWN_NAME, "isa: 'sse9'", "an unknown ISA is refused");
  make_small_call(&call);
  call.options.path = 9;
  check_refused(&call, HEED_UNKNOWN_NAME, "path: 9", "an unknown path is refused");

  make_small_call(&call);
  call.q.shape[2] = -3;
  char cut[8] = "zzzzzzz";
  const int32_t status = heed_attention(&call.q, &call.k, &call.v, &call.out, NULL, cut, sizeof cut);
  check(status == HEED_BAD_SIZE && strcmp(cut, "q: dime") == 0, "messages are cut to the buffer");
  check(heed_attention(&call.q, &call.k, &call.v, &call.out, NULL, NULL, 0) == HEED_BAD_SIZE, "and may be left out");
  make_small_call(&call);
  strcpy(call.message, "old");
  check(run(&call) == HEED_OK && call.message[0] == '\0', "success leaves an empty message");
}

void test_explain(void) {
  static small_call call;
  make_small_call(&call);
  call.options.threads = 1;
  call.options.path = HEED_PATH_REFERENCE;
  size_t bytes = 0;
  check(heed_scratch_size(&call.q, &call.k, &call.v, &call.out, &call.options, &bytes, NULL, 0) == HEED_OK && bytes > 0,
        "heed_scratch_size() answers");
  call.options.scratch_size = bytes;
  call.options.scratch = malloc(bytes);
  check(run(&call) == HEED_OK, "scratch of that size is enough");
  free(call.options.scratch);
  make_small_call(&call);
  call.options.path = HEED_PATH_REFERENCE;
  call.options.threads = 1;
  char small[1];
  call.options.scratch = small;
  call.options.scratch_size = 1;
  check_refused(&call, HEED_SCRATCH_TOO_SMALL, "scratch: 1 bytes, expected at least ", "less is refused");

  make_small_call(&call);
  call.options.path = HEED_PATH_STREAMING;
  call.options.isa = "baseline";
  call.options.threads = 1;
  call.q.data = NULL;
  heed_explanation explanation;
  memset(&explanation, 0xFF, sizeof explanation);
  heed_explanation_init(&explanation);
  check(explanation.size == sizeof explanation && explanation.text.data == NULL,
        "heed_explanation_init() sets every field");
  check(heed_explain(&call.q, &call.k, &call.v, &call.out, &call.options, &explanation, call.message,
                     sizeof call.message) == HEED_OK,
        "heed_explain() takes null data");
  heed_scratch_size(&call.q, &call.k, &call.v, &call.out, &call.options, &bytes, NULL, 0);
  check(explanation.path == HEED_PATH_STREAMING && strcmp(explanation.isa, "baseline") == 0 &&
            explanation.threads == 1 && explanation.rows_per_tile > 0 && explanation.keys_per_tile > 0 &&
            explanation.key_parts == 1 && explanation.scratch_bytes == bytes,
        "it says path, ISA, threads, tile and scratch");
  check(explanation.spec.needed > 1 && explanation.text.needed > 1 && explanation.reasons.needed > 1,
        "it says how long its texts are");

  static char text[8192];
  char spec[8];
  explanation.text.data = text;
  explanation.text.size = sizeof text;
  explanation.spec.data = spec;
  explanation.spec.size = sizeof spec;
  check(heed_explain(&call.q, &call.k, &call.v, &call.out, &call.options, &explanation, NULL, 0) == HEED_OK &&
            strlen(text) + 1 == explanation.text.needed && strcmp(spec, "b=2 h=4") == 0,
        "texts fill the caller's buffers, cut where they are short");

  heed_explanation_init(&explanation);
  explanation.size = offsetof(heed_explanation, scratch_bytes);
  explanation.scratch_bytes = 4321;
  check(heed_explain(&call.q, &call.k, &call.v, &call.out, &call.options, &explanation, NULL, 0) == HEED_OK &&
            explanation.rows_per_tile > 0 && explanation.scratch_bytes == 4321,
        "an older, smaller explanation is not written past its end");
  check(heed_explain(&call.q, &call.k, &call.v, &call.out, &call.options, NULL, call.message, sizeof call.message) ==
                HEED_NULL_DATA &&
            starts_with(call.message, "explanation: null pointer"),
        "explanation must be given");

  int32_t isas = 0, baselines = 0, paths = 0;
  for (; heed_isa_name(isas) != NULL; ++isas) baselines += strcmp(heed_isa_name(isas), "baseline") == 0;
  while (heed_available_path_name(paths) != NULL) ++paths;
  check(baselines == 1 && heed_isa_name(-1) == NULL, "ISAs are listed, baseline among them");
  check(paths >= 2 && strcmp(heed_available_path_name(0), "streaming") == 0 && heed_available_path_name(-1) == NULL,
        "paths are listed, streaming first");
  check(strcmp(heed_path_name(HEED_PATH_REFERENCE), "reference") == 0, "paths have names");
  check(strcmp(heed_version(), HEED_VERSION) == 0, "library and header are of one version");
  check(heed_error_bound(0.0, 1.0, HEED_PATH_AUTOMATIC) == 64.0 / 8388608.0 &&
            heed_error_bound(1.0, 2.0, HEED_PATH_ONEDNN) == 256.0 / 8388608.0 * 4.0,
        "the error bound is a number");
}
