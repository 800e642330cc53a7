// SPDX-License-Identifier: Apache-2.0
// heed: is an answer right? One attention call computed in two ways and compared on the caller's own
// tensors, with a verdict per quantity. This header is the C99 API and its manual; heed/cross_check.hpp is
// the same in C++, heed/attention.h says what attention is and how statuses, messages and options work.
//
// ---- The call -------------------------------------------------------------------------------
//
//   static float q[2 * 8 * 100 * 64], k[2 * 8 * 100 * 64], v[2 * 8 * 100 * 64];
//   heed_const_tensor queries = heed_const_tensor_bhnd(q, 2, 8, 100, 64); /* batch, heads, tokens, channels */
//   heed_const_tensor keys = heed_const_tensor_bhnd(k, 2, 8, 100, 64);
//   heed_const_tensor values = heed_const_tensor_bhnd(v, 2, 8, 100, 64);
//   heed_options options;
//   heed_cross_check_report report;
//   char message[HEED_MESSAGE_SIZE], text[HEED_REPORT_TEXT_SIZE];
//   heed_options_init(&options);
//   heed_cross_check_report_init(&report);
//   options.causal = 1;
//   report.text.data = text;
//   report.text.size = sizeof text;
//   int32_t status = heed_cross_check(&queries, &keys, &values, &options, HEED_PATH_REFERENCE, &report, message,
//                                     sizeof message);
//   fputs(status == HEED_OK ? text : message, stderr);
//   if (report.verdict != HEED_PASS) return 1;
//
// ---- What is compared -----------------------------------------------------------------------
//
// The answer under test ("got") is that of the path that the options name, or one that the caller brings
// along, from any program. The answer it is held against ("wanted") is that of another path. Five
// quantities, each judged row by row:
//
//   quantity        error                                  passes up to, in every row
//   out             |got - wanted|                         heed_error_bound(A, max|v|) + 2^-149
//   lse             |got - wanted|                         heed_error_bound(A, 1) + 2^-23 * |wanted|
//   weights         |got - wanted|                         heed_error_bound(A, wanted), 2^-125 at least
//   row sum         |sum of got - sum of wanted weights|   1e-6; with a sink plus heed_error_bound(A, 1)
//   hidden weight   |got weight of a hidden key|           0
//
// heed_error_bound() is that of HEED_PATH_ONEDNN where it makes one of the two answers. A and max|v| are
// worked out in double over the keys that the row sees: the largest |scale| * sum|q_c k_c| + |bias| +
// |slope * (p - j)|, and the largest finite |v|. A row's weights sum to 1, to less with a sink, and to 0
// where it sees nothing: the wanted weights of the row say which. A hidden key is one that a rule or a bias
// of minus infinity hides.
//
// NaN or an infinity on one side only fails whatever the bound. Two NaN agree, and so do two equal
// infinities; in out NaN and infinity agree as well. Where a visible NaN or infinity in q, k or bias makes a
// row's A NaN or infinite, its finite numbers have no bound and are not judged.
//
// ---- Errors, memory, threads, cost ----------------------------------------------------------
//
// Arguments are checked as heed_attention() checks them, in order; a path that is not in this build is
// HEED_UNSUPPORTED. A call that was compared is HEED_OK whatever the verdict, and only then is the report
// written. lse, weights and scratch of the options are not used. Memory is allocated for two answers of one
// batch item and KV head, with at most 64 MiB of weights for each (or one row's): never for those of the
// whole call. Cost: that of both calls, with weights, and about as much as the reference path for A.
// Thread-safe. heed/cross_check.hpp says more.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <heed/attention.h>

#ifdef __cplusplus
extern "C" {
#endif

enum heed_verdict {
  HEED_NOT_CHECKED = 0,  // the answer did not have it
  HEED_PASS = 1,
  HEED_FAIL = 2
};

// What was found about one quantity. A place is {batch item, query head, query row, channel or key}; the
// last is 0 for lse and row sum. This struct never grows.
typedef struct heed_quantity_check {
  const char* name;    // "out", "lse", "weights", "row sum", "hidden weight"
  int32_t verdict;     // heed_verdict
  int64_t count;       // numbers compared
  double max_error;    // the largest, anywhere
  double mean_error;   // over all that were compared
  double bound_share;  // the largest error as a share of its row's bound: fails above 1
  int64_t worst[4];    // where that is; the first place with the largest error where no share is above 0
  double got;          // there: the answer under test,
  double wanted;       // the other one,
  double bound;        // and what the error may be
} heed_quantity_check;

// Bytes that hold the text of nearly every report; text.needed says what this one takes.
#define HEED_REPORT_TEXT_SIZE 4096

// What heed_cross_check() and heed_check_answer() found. `size` as in heed_options. The caller may set
// data and size of the text, and point the plans to initialised structs; the call sets everything else.
typedef struct heed_cross_check_report {
  size_t size;
  int32_t verdict;  // heed_verdict: fail where one of the five fails, otherwise pass
  heed_quantity_check out, lse, weights, row_sum, hidden_weight;

  // The contract's bound for the whole call: heed_error_bound(A, max|v|) with the largest A and max|v| of
  // the rows whose A is finite. Each row is judged by its own, which is never larger.
  double score_magnitude;  // A
  double max_abs_v;
  double bound;

  heed_explanation* plan;            // of the path under test; NULL: not wanted. Left as it is by
                                     // heed_check_answer()
  heed_explanation* reference_plan;  // of the path it was held against; NULL: not wanted
  heed_text text;                    // for people: the verdict, naming what fails, and a line per quantity
} heed_cross_check_report;

// Zeros, size set. Writes exactly the struct of version 0.1, also in later libraries.
HEED_C_API void heed_cross_check_report_init(heed_cross_check_report* report);

// Computes the call by the path, ISA and threads of the options and by the path `against` (a heed_path),
// and compares. options may be NULL: none given.
HEED_C_API int32_t heed_cross_check(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                                    const heed_options* options, int32_t against, heed_cross_check_report* report,
                                    char* message, size_t message_size);

// The same for an answer that is there already: another framework's, or what heed_attention() has written.
//   out     [batch, q_heads, q_len, value_dim], any strides
//   lse     [batch, q_heads, q_len, 1]; NULL: not checked
//   weights [batch, q_heads, q_len, kv_len]; NULL: weights, row sum and hidden weight are not checked
// The path of the options is not used.
HEED_C_API int32_t heed_check_answer(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                                     const heed_const_tensor* out, const heed_const_tensor* lse,
                                     const heed_const_tensor* weights, const heed_options* options, int32_t against,
                                     heed_cross_check_report* report, char* message, size_t message_size);

HEED_C_API const char* heed_verdict_name(int32_t verdict);  // "pass", "fail", "not checked"

#ifdef __cplusplus
}
#endif
