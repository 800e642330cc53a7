// SPDX-License-Identifier: Apache-2.0
// heed: exact scaled dot-product attention on CPUs. This header is the C99 API and its manual; plain
// structs and fixed-width integers, so that other languages' foreign-function layers can use it too.
// heed/status.h has what calls answer, heed/tensor.h what they take; heed/attention.hpp is the same in C++.
//
// ---- The call -------------------------------------------------------------------------------
//
//   static float q[2 * 8 * 100 * 64], k[2 * 8 * 100 * 64], v[2 * 8 * 100 * 64], out[2 * 8 * 100 * 64];
//   heed_const_tensor queries = heed_const_tensor_bhnd(q, 2, 8, 100, 64); /* batch, heads, tokens, channels */
//   heed_const_tensor keys = heed_const_tensor_bhnd(k, 2, 8, 100, 64);
//   heed_const_tensor values = heed_const_tensor_bhnd(v, 2, 8, 100, 64);
//   heed_tensor result = heed_tensor_bhnd(out, 2, 8, 100, 64);
//   heed_options options;
//   char message[HEED_MESSAGE_SIZE];
//   heed_options_init(&options);
//   options.causal = 1;
//   int32_t status = heed_attention(&queries, &keys, &values, &result, &options, message, sizeof message);
//   if (status != HEED_OK) fprintf(stderr, "%s\n", message);
//
// ---- What it computes -----------------------------------------------------------------------
//
// For batch item b, query head h, query row i, key j, with kv = h / (q_heads / kv_heads):
//
//   raw     = scale * dot(q[b,h,i,:], k[b,kv,j,:])
//   capped  = soft_cap * tanh(raw / soft_cap)             (soft_cap 0: capped = raw)
//   score   = capped + bias[b,h,i,j] - slope[h] * |p - j|  with p = i + offset (see heed_position)
//   weight  = exp(score) / (sum over visible keys of exp(score) + exp(sink[h]))
//   out     = sum over visible keys j of weight[j] * v[b,kv,j,:]
//   lse     = log(sum over visible keys of exp(score) + exp(sink[h]))       natural logarithm
//
// A key is visible to a row when every given rule allows it: key_mask, lengths, mask, causal, window,
// and a score (after bias) that is not minus infinity. A hidden key contributes exactly nothing, even
// if its K or V holds NaN or infinity. Keys that no row of a tile may see by causal, window, lengths,
// and leading or trailing key padding are not even read: that memory may be unmapped. A row that sees
// nothing gets out 0, weights 0 and lse minus infinity (with a sink: lse = sink). NaN reaches a row
// only through its own query or a key that it sees; a visible score of plus infinity makes its out NaN.
//
// ---- Accuracy -------------------------------------------------------------------------------
//
// Against the float64 reference: |out - ref| <= heed_error_bound(A, max|v|, path), where A is the largest,
// over the row's visible keys, of |scale| * sum|q_c k_c| + |bias| + |slope * (p - j)|. For standard
// normal inputs with kv_len >= 100 and head_dim <= 128, |out - ref| < 1e-6 but for a row in 10 million. Row
// sums of weights are within 1e-6 of 1 (a sink makes them less than 1). A row's bits depend on its own
// inputs and the call's q_len, kv_len, group size, dims and ISA: not on the thread count, on what else is
// in the batch, or on earlier calls. heed/attention.hpp says more.
//
// ---- Errors, memory, threads ----------------------------------------------------------------
//
// Calls answer a heed_status. Anything but HEED_OK comes with a message that names the argument, what
// was wanted and what came ("mask: dimension 3 is 15, expected 1 or 20 (kv_len)"); it is written to
// `message`, cut to message_size bytes with its final zero, and is "" on success. `message` may be
// NULL with message_size 0. Every argument is checked in every build before anything is written: what
// exists only in C first (null struct pointers, sizes of structs, polarities), then the arguments in
// order. Nothing aborts, prints or throws. What heed can't do is HEED_UNSUPPORTED, never something
// near it.
//
// heed keeps no pointer after a call and owns nothing of the caller's. Scratch does not grow with
// q_len * kv_len; it is linear in the threads used. Supply it and set threads to 1, and a call
// allocates nothing (oneDNN does). threads = 1 opens no parallel region (safe after fork); a call from inside a
// caller's OpenMP region runs serially there. No OpenMP setting of the caller's is changed. Any number
// of threads may call at once on outputs and scratch of their own. After a call with more than one
// thread, do not unload the library: the OpenMP runtime keeps its worker threads.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/query_scaling.h>
#include <heed/status.h>
#include <heed/tensor.h>
#include <heed/version.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Visibility -----------------------------------------------------------------------------

// What a true cell of a mask says. There is no default: a mask whose polarity was left at 0 is
// HEED_BAD_VALUE.
enum heed_polarity {
  HEED_BLOCKED = 1,  // true: must not be read
  HEED_ALLOWED = 2   // true: may be read
};

// A pairwise boolean mask, one byte per cell (0 false, anything else true), each dimension of
// [batch, q_heads, q_len, kv_len] full or 1 (1: the same for all). A 0/1 float is a bias, not a mask.
// Read where it lies, never copied.
typedef struct heed_mask {
  const uint8_t* data;
  int64_t shape[4];
  int64_t strides[4];  // in elements
  int32_t polarity;    // heed_polarity
} heed_mask;

// Key padding: one byte per key, [batch, kv_len] with batch full or 1. Hides keys (columns) only: a
// padded query row is still computed.
typedef struct heed_key_mask {
  const uint8_t* data;
  int64_t shape[2];
  int64_t strides[2];  // in elements
  int32_t polarity;    // heed_polarity
} heed_key_mask;

// Contiguous masks; the name is the polarity.
HEED_C_API heed_mask heed_blocked(const uint8_t* data, int64_t batch, int64_t q_heads, int64_t q_len, int64_t kv_len);
HEED_C_API heed_mask heed_allowed(const uint8_t* data, int64_t batch, int64_t q_heads, int64_t q_len, int64_t kv_len);
HEED_C_API heed_key_mask heed_blocked_keys(const uint8_t* data, int64_t batch, int64_t kv_len);
HEED_C_API heed_key_mask heed_allowed_keys(const uint8_t* data, int64_t batch, int64_t kv_len);

// Kinds of position. 0 is none of them.
enum heed_position_kind {
  HEED_TOP_LEFT = 1,      // offset 0
  HEED_BOTTOM_RIGHT = 2,  // offset kv_len - q_len
  HEED_OFFSET = 3,        // offset `value`
  HEED_PER_BATCH = 4      // offset `values[b]`
};

// Where query row i stands among the keys: p = i + offset. causal, window and slopes all use p. When
// q_len == kv_len it defaults to offset 0; otherwise, if one of the three is asked for, it must be
// given, since nothing is guessed. Lengths do not change it: a ragged cache gives values
// length[b] - q_len. p may be negative (such a causal row sees nothing).
typedef struct heed_position {
  int32_t kind;           // heed_position_kind
  int64_t value;          // HEED_OFFSET
  const int64_t* values;  // HEED_PER_BATCH: [batch]
  int64_t values_count;   // batch
} heed_position;

// Key j is visible iff p - left <= j <= p + right. Bounds count neighbours and are inclusive: 0 is a
// bound, -1 is unbounded; set both. A window of W tokens that includes the row itself is left = W - 1.
typedef struct heed_window {
  int64_t left;
  int64_t right;
} heed_window;

// ---- Options --------------------------------------------------------------------------------

// How a call is carried out. All paths implement everything in this header.
enum heed_path {
  HEED_PATH_AUTOMATIC = 0,  // streaming, or what the environment variable HEED_PATH names
  HEED_PATH_STREAMING = 1,  // cache-tiled, vectorised, online softmax
  HEED_PATH_ONEDNN = 2,     // matmul - softmax - matmul on oneDNN; HEED_UNSUPPORTED where not built in
  HEED_PATH_REFERENCE = 3   // plain loops in double
};

// All fields but `size` are optional: bytes of zero, a null pointer among them, mean "not given".
// First what changes the result, then what doesn't. Lists come with their count, as a check.
//
// `size` is sizeof(heed_options) as the caller was compiled; heed_options_init() sets it. A smaller,
// older struct is accepted, and the fields it lacks are not given. A larger, newer one is accepted
// while the bytes that this library doesn't know are zero, and is HEED_UNSUPPORTED otherwise.
typedef struct heed_options {
  size_t size;
  const float* scale;             // NULL: 1/sqrt(head_dim); head_dim 0 needs it. Finite; 0 and less are fine
  float soft_cap;                 // > 0; 0: off. Applied before bias and slopes
  int32_t causal;                 // not 0: key j is visible iff j <= p
  const heed_const_tensor* bias;  // float, each dimension of [batch, q_heads, q_len, kv_len] full or 1;
                                  // added to the score; -inf hides
  const float* slopes;            // ALiBi, [q_heads], finite: score -= slope[h] * |p - j|
  int64_t slopes_count;           // q_heads
  const float* sinks;             // [q_heads]: exp(sink) joins the denominator once per row
  int64_t sinks_count;            // q_heads
  const heed_key_mask* key_mask;  // key padding
  const int64_t* lengths;         // [batch], each 0..kv_len: keys j < lengths[b] are visible
  int64_t lengths_count;          // batch
  const heed_mask* mask;          // pairwise
  const heed_position* position;  // what p is
  const heed_window* window;
  const heed_query_scaling* query_scaling;  // a factor on q; see heed/query_scaling.h

  const heed_tensor* lse;      // output [batch, q_heads, q_len, 1], any strides
  const heed_tensor* weights;  // output [batch, q_heads, q_len, kv_len], any strides: the weights that
                               // out was made with; about doubles the time

  int32_t threads;      // 0: what the caller's OpenMP would use
  int32_t path;         // heed_path
  const char* isa;      // "baseline", "avx2", "avx512", "neon64"; NULL or "": the best that runs here,
                        // or what the environment variable HEED_ISA names
  void* scratch;        // NULL: allocated and freed by the call. Any alignment
  size_t scratch_size;  // bytes
} heed_options;

// No option given, size set. Writes exactly the struct of version 0.1, also in later libraries.
HEED_C_API void heed_options_init(heed_options* options);

// ---- The operation --------------------------------------------------------------------------

// Computes out (and lse, weights when asked for). options may be NULL: none given.
//   q   [batch, q_heads,  q_len,  head_dim]
//   k   [batch, kv_heads, kv_len, head_dim]    q_heads a multiple of kv_heads; consecutive query
//   v   [batch, kv_heads, kv_len, value_dim]   heads share one KV head
//   out [batch, q_heads,  q_len,  value_dim]
// Aliasing: out, lse, weights and scratch must not overlap the inputs or each other, by address
// range; the inputs may overlap. An output must not broadcast (stride 0 over a dimension above 1)
// nor lie over itself: each stride is larger than what smaller ones reach.
// Zero sizes: batch, heads or q_len of 0: success, nothing written. kv_len 0: every row sees nothing.
// head_dim 0: needs a scale; every visible score is 0 before bias. value_dim 0: lse and weights only.
// Cost: 2 * visible pairs * (head_dim + value_dim) flops; tiles that no row sees are not visited.
HEED_C_API int32_t heed_attention(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                                  const heed_tensor* out, const heed_options* options, char* message,
                                  size_t message_size);

// Bytes of scratch that heed_attention() needs for this call, at any alignment. Data may be NULL. Inside a
// parallel region the answer is for a call there, which is serial.
HEED_C_API int32_t heed_scratch_size(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                                     const heed_tensor* out, const heed_options* options, size_t* bytes, char* message,
                                     size_t message_size);

// A text in the caller's memory: up to `size` bytes of it are written to `data`, always closed by a
// zero when size > 0, and `needed` becomes the size that holds all of it. data may be NULL with size 0.
typedef struct heed_text {
  char* data;
  size_t size;
  size_t needed;
} heed_text;

// What heed_attention() would do with a call, and why. `size` as in heed_options. The caller sets the
// data and size of each text; heed_explain() sets everything else.
typedef struct heed_explanation {
  size_t size;
  int32_t path;  // heed_path
  int32_t threads;
  char isa[16];           // "" for paths without one
  int64_t rows_per_tile;  // query rows (of all heads of a group) worked on together
  int64_t keys_per_tile;
  int64_t key_parts;  // parts that keys are cut into for few rows, so that threads can share one KV head
  size_t scratch_bytes;
  heed_text reasons;  // one line for each path and ISA not taken, and for threads asked for in vain
  heed_text spec;     // the call's shape and options; `heed-sweep --spec` runs it
  heed_text text;     // all of the above for people, several lines
} heed_explanation;

// Zeros, size set. Writes exactly the struct of version 0.1, also in later libraries.
HEED_C_API void heed_explanation_init(heed_explanation* explanation);

// Data of the tensors may be NULL. Nothing is written to explanation on an error.
HEED_C_API int32_t heed_explain(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                                const heed_tensor* out, const heed_options* options, heed_explanation* explanation,
                                char* message, size_t message_size);

// ---- What this build and CPU have -----------------------------------------------------------

// Names live as long as the library is loaded.
HEED_C_API const char* heed_version(void);                       // "0.1.0", of the library linked
HEED_C_API const char* heed_path_name(int32_t path);             // of a heed_path
HEED_C_API const char* heed_available_path_name(int32_t index);  // best first; NULL past the end
HEED_C_API const char* heed_isa_name(int32_t index);             // built and runs here, best first; NULL past the end

// The accuracy statement above as a number: c * 2^-23 * (1 + score_magnitude) * max_abs_v, c = 256 for
// HEED_PATH_ONEDNN and 64 for every other heed_path.
HEED_C_API double heed_error_bound(double score_magnitude, double max_abs_v, int32_t path);

#ifdef __cplusplus
}
#endif
