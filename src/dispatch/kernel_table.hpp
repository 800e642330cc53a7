// SPDX-License-Identifier: Apache-2.0
// The contract between portable code and per-ISA code: one job, one table. Plain data, included by
// baseline code and by every ISA's code, so it holds no function bodies.
//
// A kernel is a pure function of its job. It reads nothing outside the rows and keys named, writes
// only the rows' outputs and scratch, never allocates, throws, prints or starts threads. Scratch need
// not be cleared. Same job, same bits; a row's bits do not depend on the other rows of the job.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch/isa.hpp"

namespace heed {

// One query row of one head. Rows of a job share keys and values; a row carries its own pointers, so
// a job may mix heads of a group and tokens of any stride.
struct TileRow {
  const float* q;            // head_dim channels, q_channel apart
  float* out;                // value_dim channels, out_channel apart
  float* lse;                // null in every row: not asked for. Of a part: reference and row sum, never null
  float* weights;            // cell of key 0, weights_key apart; null: not asked for
  const float* bias;         // cell of key 0; null in every row or in none
  const std::uint8_t* mask;  // cell of key 0; null in every row or in none
  std::int64_t span_begin;   // keys [span_begin, span_end) may be visible; empty: begin = end
  std::int64_t span_end;
  std::int64_t position;  // p of the row; used with slope
  float slope;            // ALiBi; 0: none
  float sink;             // -inf: none
};

// Cache lines that jobs to come will read or write: lists of addresses in equal steps. A kernel asks for some
// of them with every few keys, and leaves the rest to the next job. A hint that changes no result.
struct LinesAhead {
  struct List {
    const float* at;
    std::ptrdiff_t step;
    std::size_t left;  // 0: no more lists
  };
  List* next;
  std::size_t per_key;  // lines to ask for with every key of a row tile, in 1/256
  std::size_t due;      // carried over to the next keys, in 1/256
};

// Rows that share keys and values, and how their scores are made.
struct TileJob {
  const TileRow* rows;
  std::size_t row_count;  // 1 .. max_row_tiles * KernelTable::max_rows, all but the last tile whole; or
                          // 1 .. max_few_rows

  const float* k;  // token 0 of this KV head
  const float* v;
  std::ptrdiff_t k_token, k_channel, v_token, v_channel;  // strides, in elements, as all below
  std::ptrdiff_t q_channel, out_channel, weights_key, bias_key, mask_key, key_mask_key;
  std::size_t head_dim, value_dim;
  std::int64_t keys_begin, keys_end;  // keys of the job; spans lie within

  // The keys are a part of the row's: out and weights are left undivided by the row sum, which stands with its
  // reference where lse points.
  bool is_part;

  const std::uint8_t* key_mask;  // key padding of this batch item, cell of key 0; null: none
  bool mask_true_is_allowed;
  bool key_mask_true_is_allowed;
  bool has_slopes;
  bool has_sinks;
  bool has_row_spans;  // false: every row has the span of the first

  LinesAhead* ahead;  // null: nothing to ask for

  float scale;
  float soft_cap;  // 0: off

  float* scratch;  // 64-byte aligned, at least scratch_floats() of plan/tile_shape.hpp
  std::size_t keys_per_tile;

  // So many terms are added up in one go, then the sums: rounding grows with the length of a chain.
  std::size_t score_chain;  // channels of a score; even
  std::size_t value_chain;  // keys of a result

  // Of this batch item, class_key apart from key 0 on: a key's value is 1 in the channel of its class and 0 elsewhere,
  // and v is not read. Null: v is; it always is by attend_few.
  const std::int32_t* classes;
  std::ptrdiff_t class_key;
};

// Row tiles of one job: they take turns at each key tile, which then comes from a nearer cache.
inline constexpr std::size_t max_row_tiles = 4;

// Rows of one job of attend_few.
inline constexpr std::size_t max_few_rows = 16;

// A row of queries to be scaled; out may be q.
struct ScaleRow {
  const float* q;        // head_dim channels, q_channel apart
  const float* factors;  // of its channels, factor_channel apart (0: one for all)
  float* out;            // out_channel apart
};

// out = q * factors * gate, gate = 1 + tanh(w2 GELU(w1 q + b1) + b2); weights [out][in], side by side.
struct ScaleJob {
  const ScaleRow* rows;
  std::size_t row_count;  // 1 .. KernelTable::max_rows
  std::ptrdiff_t q_channel, factor_channel, out_channel;
  std::size_t head_dim, hidden;
  std::size_t gates;  // head_dim, 1 (for all channels) or 0 (no gate)
  const float *w1, *b1, *w2, *b2;
  std::size_t chain;  // as score_chain of TileJob
  float* scratch;     // (2 * head_dim + max(hidden, 1)) * KernelTable::max_rows
};

// What a kernel can read: the library's element types in the order of the public DType.
inline constexpr int dtype_count = 4;

using AttendTile = void (*)(const TileJob&) noexcept;
using ScaleQueries = void (*)(const ScaleJob&) noexcept;

// One key tile of one row tile, as the kernel keeps it while it works. [x][row]: the rows lie side by side, those of
// one x behind those of the one before it.
struct TilePart {
  std::size_t rows;  // lanes, twice or three times as many: KernelTable::max_rows at most
  std::size_t keys, head_dim, value_dim;
  std::size_t score_chain, value_chain;  // see TileJob
  const float* q;                        // [channel][row], scaled
  const float* k;                        // channels side by side, k_token from key to key
  const float* v;
  std::ptrdiff_t k_token, v_token;
  float* scores;             // [key][row]
  float* weights;            // [key][row]
  float* state;              // [4][row]: reference, limit of the scores, row sum, what rounding took from it
  float* out;                // [channel][row], undivided; behind it in the same shape what rounding took from it
  std::size_t tiles_before;  // 0: state and out are written, not read
};

// Single pieces, for tests and measurements only.
struct KernelParts {
  void (*exp)(const float* x, float* y, std::size_t count) noexcept;  // x <= 11.1, any count
  void (*tanh)(const float* x, float* y, std::size_t count) noexcept;
  void (*gelu)(const float* x, float* y, std::size_t count) noexcept;
  void (*score)(const TilePart&) noexcept;    // q, k -> scores
  void (*softmax)(const TilePart&) noexcept;  // scores -> weights, state; raises of the reference rescale out
  void (*weigh)(const TilePart&) noexcept;    // both at once, as the kernel does: scores are not written
  void (*value)(const TilePart&) noexcept;    // weights, v -> out
};

struct KernelTable {
  Isa isa;                             // what this object was compiled for; a test compares
  std::size_t lanes;                   // floats per vector
  std::size_t max_rows;                // rows of the largest tile, a multiple of lanes
  AttendTile attend[dtype_count];      // null: this dtype does not run
  AttendTile attend_few[dtype_count];  // for few rows: lanes hold channels and keys, not rows
  ScaleQueries scale_queries;
  KernelParts parts;
};

}  // namespace heed
