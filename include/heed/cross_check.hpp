// SPDX-License-Identifier: Apache-2.0
// heed: is an answer right? One attention call computed in two ways and compared on the caller's own
// tensors, with a verdict per quantity. This header is the C++ API and its manual; heed/cross_check.h is
// the same for C, heed/attention.hpp says what attention is.
//
// ---- The call -------------------------------------------------------------------------------
//
//   std::vector<float> q(2 * 8 * 100 * 64, 0.25f), k(q), v(q);   // [2, 8, 100, 64]
//   heed::CrossCheckReport report;
//   const heed::Status status = heed::cross_check(
//       heed::bhnd(q.data(), 2, 8, 100, 64), heed::bhnd(k.data(), 2, 8, 100, 64),
//       heed::bhnd(v.data(), 2, 8, 100, 64), {.causal = true}, report);
//   std::fputs(status.ok() ? report.text.c_str() : status.message(), stderr);
//   if (report.verdict == heed::Verdict::fail) return 1;
//
// ---- What is compared -----------------------------------------------------------------------
//
// The answer under test ("got") is that of the path that the options name, or one that the caller brings
// along, from any program. The answer it is held against ("wanted") is that of another path, `reference`
// unless another is named. Five quantities, each judged row by row:
//
//   quantity        error                                  passes up to, in every row
//   out             |got - wanted|                         error_bound(A, max|v|) + 2^-149
//   lse             |got - wanted|                         error_bound(A, 1) + 2^-23 * |wanted|
//   weights         |got - wanted|                         error_bound(A, wanted), 2^-125 at least
//   row sum         |sum of got - sum of wanted weights|   1e-6; with a sink plus error_bound(A, 1)
//   hidden weight   |got weight of a hidden key|           0
//
// error_bound() is that of heed/attention.hpp, for the onednn path where it makes one of the two answers. A
// and max|v| are worked out in double over the keys that the row sees: the largest |scale| * sum|q_c k_c| +
// |bias| + |slope * (p - j)|, and the largest finite |v|. 2^-149 and 2^-125 leave room for values at the
// lower end of float. A row's weights sum to 1, to less with a sink, and to 0 where it sees nothing: the
// wanted weights of the row say which. A hidden key is one that a rule or a bias of minus infinity hides.
//
// NaN or an infinity on one side only is an error of infinity, and fails whatever the bound (a score past
// the range of float makes one, since the reference path computes in double). Two NaN agree, and so do
// two equal infinities; in out NaN and infinity agree as well (an infinite v under a weight that rounds to
// 0 is NaN on one path and infinite on another). Where a visible NaN or infinity in q, k or bias makes a
// row's A NaN or infinite, its finite numbers have no bound and are not judged.
//
// ---- Errors, memory, threads, cost ----------------------------------------------------------
//
// Arguments are checked as attention() checks them, in order, and the answer is a Status; a path that is
// not in this build is `unsupported`. A call that was compared is `ok` whatever the verdict, and only then
// is `report` written. Nothing aborts, prints or throws.
// Nothing of the caller's is written but the report: `lse`, `weights` and `scratch` of the options are not
// used, and the answers go to memory of the call's own. It is worked through one batch item and KV head at
// a time, each a call with the q_len, kv_len, group and dims of the whole and so with the same bits. That
// takes 2 * group * q_len * (value_dim + 1) floats, and the weights of as many queries as fit 64 MiB per
// answer, of one at least: never those of the whole call. Where the weights of one KV head take more, out
// and lse are still those of the whole head, and weights are compared in blocks of rows, each a call of its
// own, whose rounding may differ from the whole's. options.threads holds for both answers and for the
// comparing. Cost: that of both calls, with weights, and about as much as the reference path for A.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <heed/attention.hpp>

namespace heed {

enum class Verdict : std::int32_t {
  not_checked = 0,  // the answer did not have it
  pass = 1,
  fail = 2,
};

// What was found about one quantity. Places are {batch item, query head, query row, channel or key}; the
// last is 0 for lse and row sum.
struct QuantityCheck {
  const char* name = "";  // "out", "lse", "weights", "row sum", "hidden weight"
  Verdict verdict = Verdict::not_checked;
  std::int64_t count = 0;    // numbers compared
  double max_error = 0.0;    // the largest, anywhere
  double mean_error = 0.0;   // over all that were compared
  double bound_share = 0.0;  // the largest error as a share of its row's bound: fails above 1
  Dims worst{};              // where that is; the first place with the largest error where no share is above 0
  double got = 0.0;          // there: the answer under test,
  double wanted = 0.0;       // the other one,
  double bound = 0.0;        // and what the error may be
};

// What cross_check() and check_answer() found.
struct CrossCheckReport {
  Verdict verdict = Verdict::not_checked;  // fail where one of the five fails, otherwise pass
  QuantityCheck out, lse, weights, row_sum, hidden_weight;

  // The contract's bound for the whole call: error_bound(A, max|v|) with the largest A and max|v| of the
  // rows whose A is finite. Each row is judged by its own, which is never larger.
  double score_magnitude = 0.0;  // A
  double max_abs_v = 0.0;
  double bound = 0.0;

  Explanation plan;            // of the path under test; empty for check_answer()
  Explanation reference_plan;  // of the path it was held against

  std::string text;  // all of the above for people: the verdict, naming what fails, and a line per quantity
};

// Computes the call by the path, ISA and threads of `options` and by the path `against`, and compares.
// Shapes of q, k, v and options are those of attention(); the shape of out follows from them.
HEED_API Status cross_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Options& options,
                            CrossCheckReport& report, Path against = Path::reference) noexcept;

// An answer to judge, wherever it was computed. What is not given is not checked.
struct Answer {
  ConstTensor out{};                     // [batch, q_heads, q_len, value_dim], any strides
  std::optional<ConstTensor> lse{};      // [batch, q_heads, q_len, 1]
  std::optional<ConstTensor> weights{};  // [batch, q_heads, q_len, kv_len]
};

// The same for an answer that is there already: another framework's, or what attention() has written.
//
//   heed::check_answer(q, k, v, {.out = out}, {.causal = true}, report);
//
// The path of `options` is not used. Errors name the answer's parts out, lse and weights.
HEED_API Status check_answer(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer& answer,
                             const Options& options, CrossCheckReport& report, Path against = Path::reference) noexcept;

HEED_API const char* verdict_name(Verdict verdict) noexcept;  // "pass", "fail", "not checked"

}  // namespace heed
