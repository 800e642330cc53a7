// SPDX-License-Identifier: Apache-2.0
// heed: exact scaled dot-product attention on CPUs. This header is the C++ API and its manual.
// heed/status.hpp has what calls answer, heed/tensor.hpp what they take; heed/attention.h is the same for C.
//
// ---- The call -------------------------------------------------------------------------------
//
//   std::vector<float> q(2 * 8 * 100 * 64), k(q), v(q), out(q.size());   // [2, 8, 100, 64]
//   const heed::Status status = heed::attention(
//       heed::bhnd(q.data(), 2, 8, 100, 64), heed::bhnd(k.data(), 2, 8, 100, 64),
//       heed::bhnd(v.data(), 2, 8, 100, 64), heed::bhnd(out.data(), 2, 8, 100, 64), {.causal = true});
//   if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
//
// ---- What it computes -----------------------------------------------------------------------
//
// For batch item b, query head h, query row i, key j, with kv = h / (q_heads / kv_heads):
//
//   raw     = scale * dot(q[b,h,i,:], k[b,kv,j,:])
//   capped  = soft_cap * tanh(raw / soft_cap)             (soft_cap 0: capped = raw)
//   score   = capped + bias[b,h,i,j] - slope[h] * |p - j|  with p = i + offset (see Position)
//   weight  = exp(score) / (sum over visible keys of exp(score) + exp(sink[h]))
//   out     = sum over visible keys j of weight[j] * v[b,kv,j,:]
//   lse     = log(sum over visible keys of exp(score) + exp(sink[h]))       natural logarithm
//
// A key is visible to a row when every given rule allows it: key_mask, lengths, mask, causal,
// window, and a score (after bias) that is not minus infinity. A hidden key contributes exactly
// nothing, even if its K or V holds NaN or infinity. Keys that no row of a tile may see by causal,
// window, lengths, and leading or trailing key padding are not even read: that memory may be
// unmapped. A row that sees nothing gets out 0, weights 0 and lse minus infinity (with a sink:
// lse = sink). NaN reaches a row only through its own query or a key that it sees; a visible score
// of plus infinity makes the row's out NaN.
//
// src/paths/reference_path.cpp is this formula as plain loops in double: the meaning of the call.
// Formula and names: "Attention Is All You Need" (arXiv 1706.03762); the streaming softmax: "Online
// normalizer calculation for softmax" (arXiv 1805.02867); ALiBi: arXiv 2108.12409; soft cap: Gemma 2
// (arXiv 2408.00118); sinks as a denominator term: arXiv 2309.17453 and the gpt-oss model card.
//
// ---- Accuracy -------------------------------------------------------------------------------
//
// Against the float64 reference, streaming path, every ISA: |out - ref| <= 64 * 2^-23 * (1 + A) * max|v|
// (error_bound() below), where A is the largest, over the row's visible keys, of
// |scale| * sum|q_c k_c| + |bias| + |slope * (p - j)|. It is a worst case: keys of one score and one
// value whose roundings all fall the same way reach 27 of the 64; random inputs stay below 1.
// For standard normal inputs with kv_len >= 100 and head_dim <= 128 the error is below 1e-6 but for
// about one row in 10 million, where it reaches 1.23e-6 (7 of 68 million rows with 100 to 1100 keys; plain
// float loops pass 1e-6 in one row of 7000): a score beyond 8 is rounded by up to 4.8e-7. Row sums of weights are
// within 1e-6 of 1 for every kv_len up to 100,000 (a sink makes them less than 1). A weight exp(x), x <= 0 below the
// row's reference, has a relative error of at most 2 ULP + |x| * 2^-24; where the true value is below the smallest
// normal float, anything from 0 to 1.1 times it. No fast-math; the floating-point control register is not touched. The
// onednn path adds up long rows of values plainly: 256 instead of 64, for up to 10,000 keys; below 3e-6 on standard
// normal inputs from 100 keys on. A row's bits depend on its own inputs and the call's q_len, kv_len, group size, dims
// and ISA: not on the thread count, on what else is in the batch, or on earlier calls. (On the onednn path the rest of
// the batch may show, and the strides: oneDNN's own blocking depends on shapes.)
//
// ---- Errors, memory, threads ----------------------------------------------------------------
//
// Every argument is checked in every build, in the order of the arguments, before anything is
// written. The answer is a Status whose message names the argument, what was wanted and what came.
// Nothing aborts, prints or throws. What heed can't do is `unsupported`, never something near it.
// Scratch does not grow with q_len * kv_len; it is linear in the threads used. Give it as
// Options::scratch (scratch_size() says how much) and, with threads = 1, a call allocates nothing.
// threads = 1 opens no parallel region (safe after fork); a call from inside a caller's OpenMP
// region runs serially there. Threads share batch items, KV heads and rows; up to 64 rows on a KV head
// over 2048 keys or more are also cut into parts of the keys, at most 32. No OpenMP setting of the
// caller's is changed. After a call with more than one thread, do not unload the library: the OpenMP
// runtime keeps its worker threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <heed/version.h>
#include <heed/query_scaling.hpp>
#include <heed/status.hpp>
#include <heed/tensor.hpp>

namespace heed {

// ---- Visibility -----------------------------------------------------------------------------

// A pairwise boolean mask, one byte per cell (0 false, anything else true), each dimension of
// [batch, q_heads, q_len, kv_len] full or 1 (1 = the same for all). Made by blocked() or allowed();
// the name is the polarity. A 0/1 float is a bias, not a mask. Read where it lies, never copied.
struct Mask {
  const std::uint8_t* data = nullptr;
  Dims shape{};
  Dims strides{};                // in elements; contiguous by default
  bool true_is_allowed = false;  // polarity: what a true cell says
};
HEED_API Mask blocked(const std::uint8_t* data, Dims shape) noexcept;  // true: must not be read
HEED_API Mask blocked(const bool* data, Dims shape) noexcept;
HEED_API Mask allowed(const std::uint8_t* data, Dims shape) noexcept;  // true: may be read
HEED_API Mask allowed(const bool* data, Dims shape) noexcept;

// Key padding: one byte per key, [batch, kv_len] with batch full or 1. Hides keys (columns) only: a
// padded query row is still computed.
struct KeyMask {
  const std::uint8_t* data = nullptr;
  std::array<std::int64_t, 2> shape{};
  std::array<std::int64_t, 2> strides{};
  bool true_is_allowed = false;
};
HEED_API KeyMask blocked_keys(const std::uint8_t* data, std::int64_t batch, std::int64_t kv_len) noexcept;
HEED_API KeyMask blocked_keys(const bool* data, std::int64_t batch, std::int64_t kv_len) noexcept;
HEED_API KeyMask allowed_keys(const std::uint8_t* data, std::int64_t batch, std::int64_t kv_len) noexcept;
HEED_API KeyMask allowed_keys(const bool* data, std::int64_t batch, std::int64_t kv_len) noexcept;

// Where query row i stands among the keys: p = i + offset. causal, window and slopes all use p.
// When q_len == kv_len it defaults to offset 0; otherwise, if one of the three is asked for, it must
// be given, since nothing is guessed. Lengths do not change it: a ragged cache gives
// offsets length[b] - q_len. p may be negative (such a causal row sees nothing).
struct Position {
  enum class Kind : std::int32_t { top_left = 1, bottom_right = 2, offset = 3, per_batch = 4 };
  Kind kind = Kind::top_left;
  std::int64_t value = 0;                // Kind::offset
  std::span<const std::int64_t> values;  // Kind::per_batch: [batch]

  static constexpr Position top_left() noexcept { return {Kind::top_left, 0, {}}; }
  static constexpr Position bottom_right() noexcept { return {Kind::bottom_right, 0, {}}; }  // kv_len - q_len
  static constexpr Position offset(std::int64_t tokens) noexcept { return {Kind::offset, tokens, {}}; }
  static constexpr Position offsets(std::span<const std::int64_t> per_batch) noexcept {
    return {Kind::per_batch, 0, per_batch};
  }
};

// Key j is visible iff p - left <= j <= p + right. Bounds count neighbours and are inclusive: 0 is a
// bound, -1 is unbounded. A window of W tokens that includes the row itself is left = W - 1.
struct Window {
  std::int64_t left = -1;
  std::int64_t right = -1;
};

// ---- Options --------------------------------------------------------------------------------

// How a call is carried out. All paths implement everything in this header.
enum class Path : std::int32_t {
  automatic = 0,  // streaming, or what the environment variable HEED_PATH names
  streaming = 1,  // cache-tiled, vectorised, online softmax
  onednn = 2,     // matmul - softmax - matmul on oneDNN, with at most 8 MiB of scores (or one row) a thread at
                  // a time, whatever the lengths, and less than 16 MiB of oneDNN's own; `unsupported` where it
                  // isn't built in. oneDNN allocates, also where scratch is given, and chooses the ISA itself;
                  // version 2.6 ends the program where it gets no memory
  reference = 3,  // plain loops in double
};

// All fields are optional. First what changes the result, then what doesn't. A span counts as given
// when it has values or points anywhere: a pointer with a count of 0 is a mistake, not an absent list.
struct Options {
  std::optional<float> scale{};                 // default 1/sqrt(head_dim); head_dim 0 needs it
  float soft_cap = 0.0f;                        // > 0; 0: off. Applied before bias and slopes
  std::optional<ConstTensor> bias{};            // float, each dimension of [batch, q_heads, q_len, kv_len]
                                                // full or 1; added to the score; -inf hides
  std::span<const float> slopes{};              // ALiBi, [q_heads]: score -= slope[h] * |p - j|
  std::span<const float> sinks{};               // [q_heads]: exp(sink) joins the denominator once per row
  std::optional<KeyMask> key_mask{};            // key padding
  std::span<const std::int64_t> lengths{};      // [batch], each 0..kv_len: keys j < lengths[b] are visible
  std::optional<Mask> mask{};                   // pairwise
  std::optional<Position> position{};           // what p is; see Position
  bool causal = false;                          // key j is visible iff j <= p
  Window window{};                              // p - left <= j <= p + right
  std::optional<QueryScaling> query_scaling{};  // a factor on q; see heed/query_scaling.hpp

  std::optional<Tensor> lse{};      // output [batch, q_heads, q_len, 1], any strides
  std::optional<Tensor> weights{};  // output [batch, q_heads, q_len, kv_len], any strides: the
                                    // weights that out was made with; about doubles the time

  int threads = 0;  // 0: what the caller's OpenMP would use
  Path path = Path::automatic;
  std::string_view isa{};          // "baseline", "avx2", "avx512", "neon64"; empty: the best
                                   // that runs here, or what HEED_ISA names
  std::span<std::byte> scratch{};  // empty: allocated and freed by the call
};

// ---- The operation --------------------------------------------------------------------------

// Computes out (and lse, weights when asked for).
//   q   [batch, q_heads,  q_len,  head_dim]
//   k   [batch, kv_heads, kv_len, head_dim]    q_heads a multiple of kv_heads; consecutive query
//   v   [batch, kv_heads, kv_len, value_dim]   heads share one KV head
//   out [batch, q_heads,  q_len,  value_dim]
// Aliasing: out, lse, weights and scratch must not overlap the inputs or each other, by address
// range; the inputs may overlap. An output must not broadcast (stride 0 over a dimension above 1)
// nor lie over itself: each stride is larger than what smaller ones reach.
// Zero sizes: batch, heads or q_len of 0: success, nothing written. kv_len 0: every row sees nothing.
// head_dim 0: needs a scale; every visible score is 0 before bias. value_dim 0: lse and weights only.
// Thread-safe: any number of threads may call at once on outputs and scratch of their own.
// Cost: 2 * visible pairs * (head_dim + value_dim) flops; tiles that no row sees are not visited.
HEED_API Status attention(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                          const Options& options = {}) noexcept;

// Bytes of scratch that attention() needs for this call, at any alignment. Data pointers may be null. Inside a
// parallel region the answer is for a call there, which is serial.
HEED_API Status scratch_size(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                             const Options& options, std::size_t& bytes) noexcept;

// What attention() would do with this call, and why.
struct Explanation {
  Path path = Path::automatic;
  std::string isa;                 // "" for paths without one
  std::int64_t rows_per_tile = 0;  // query rows (of all heads of a group) worked on together
  std::int64_t keys_per_tile = 0;
  std::int64_t key_parts = 1;  // parts that keys are cut into for few rows, so that threads can share one KV head
  int threads = 1;
  std::size_t scratch_bytes = 0;
  std::vector<std::string> reasons;  // one line for each path and ISA not taken, and for threads asked for in vain
  std::string spec;                  // the call's shape and options; `heed-sweep --spec` runs it
  std::string text;                  // all of the above for people, several lines
};
// Data pointers may be null. The strings allocate.
HEED_API Status explain(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                        const Options& options, Explanation& explanation) noexcept;

// ---- What this build and CPU have -----------------------------------------------------------

HEED_API const char* version() noexcept;  // "0.1.0", of the library linked
HEED_API const char* path_name(Path path) noexcept;
HEED_API std::vector<std::string> available_paths();  // best first
HEED_API std::vector<std::string> available_isas();   // that are built and run here, best first

// The accuracy statement above as a number: c * 2^-23 * (1 + score_magnitude) * max_abs_v.
constexpr double error_bound(double score_magnitude, double max_abs_v, Path path = Path::streaming) noexcept {
  const double c = path == Path::onednn ? 256.0 : 64.0;
  return c / 8388608.0 * (1.0 + score_magnitude) * max_abs_v;
}

}  // namespace heed
