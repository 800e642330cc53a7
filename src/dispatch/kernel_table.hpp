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
};

// Row tiles of one job: they take turns at each key tile, which then comes from a nearer cache.
inline constexpr std::size_t max_row_tiles = 4;

// Rows of one job of attend_few.
inline constexpr std::size_t max_few_rows = 16;

// What a kernel can read: the library's element types in the order of the public DType.
inline constexpr int dtype_count = 4;

using AttendTile = void (*)(const TileJob&) noexcept;

// Single pieces, for tests and measurements only.
struct KernelParts {
  void (*exp)(const float* x, float* y, std::size_t count) noexcept;  // x <= 11.1, any count
  void (*tanh)(const float* x, float* y, std::size_t count) noexcept;
};

struct KernelTable {
  Isa isa;                             // what this object was compiled for; a test compares
  std::size_t lanes;                   // floats per vector
  std::size_t max_rows;                // rows of the largest tile, a multiple of lanes
  AttendTile attend[dtype_count];      // null: this dtype does not run
  AttendTile attend_few[dtype_count];  // for few rows: lanes hold channels and keys, not rows
  KernelParts parts;
};

}  // namespace heed
