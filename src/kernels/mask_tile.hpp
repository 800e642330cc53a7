// SPDX-License-Identifier: Apache-2.0
// Terms of a key tile: what is added to each score, as [key][row]. Bias, slopes, and minus infinity
// where a span, a key padding byte or a mask byte hides the key. Knows spans and cells, not their names.
#pragma once

#include "kernels/tile.hpp"

namespace heed {
namespace {

inline bool hides(std::uint8_t cell, bool true_is_allowed) { return (cell != 0) != true_is_allowed; }

// Does any row need terms for these keys? Full tiles skip all of this file.
inline bool needs_terms(const TileJob& job, const RowTile& rows, std::int64_t first, std::size_t keys) {
  if (job.rows[0].bias != nullptr || job.rows[0].mask != nullptr || job.has_slopes) return true;
  if (first < rows.full_begin || first + static_cast<std::int64_t>(keys) > rows.full_end) return true;
  if (job.key_mask == nullptr) return false;
  for (std::size_t key = 0; key < keys; ++key)
    if (hides(job.key_mask[(first + static_cast<std::int64_t>(key)) * job.key_mask_key], job.key_mask_true_is_allowed))
      return true;
  return false;
}

// Bias and mask of one row, [key]. Contiguous cells compile to vector code, bytes included.
inline void read_dense_row(const TileJob& job, const TileRow& row, std::int64_t first, std::size_t keys,
                           float* __restrict cells) {
  constexpr float minus_infinity = -__builtin_inff();
  if (row.bias != nullptr) {
    const float* const bias = row.bias + first * job.bias_key;
    if (job.bias_key == 1)
      for (std::size_t key = 0; key < keys; ++key) cells[key] = bias[key];
    else
      for (std::size_t key = 0; key < keys; ++key) cells[key] = bias[static_cast<std::ptrdiff_t>(key) * job.bias_key];
  } else {
    for (std::size_t key = 0; key < keys; ++key) cells[key] = 0.0f;
  }
  if (row.mask == nullptr) return;
  const std::uint8_t* const mask = row.mask + first * job.mask_key;
  const bool hidden_truth = !job.mask_true_is_allowed;
  if (job.mask_key == 1)
    for (std::size_t key = 0; key < keys; ++key)
      cells[key] = (mask[key] != 0) == hidden_truth ? minus_infinity : cells[key];
  else
    for (std::size_t key = 0; key < keys; ++key)
      cells[key] =
          (mask[static_cast<std::ptrdiff_t>(key) * job.mask_key] != 0) == hidden_truth ? minus_infinity : cells[key];
}

// Bias and mask of one vector of rows, read row by row and turned in squares.
template <class Arch, std::size_t vectors>
[[gnu::flatten]] void read_dense_terms(const TileJob& job, const RowTile& rows, const Workspace& space, std::size_t r,
                                       std::int64_t first, std::size_t keys) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t lane = 0; lane < n; ++lane)
    read_dense_row(job, lane_row(rows, r * n + lane), first, keys, space.dense_rows + lane * job.keys_per_tile);
  for (std::size_t key = 0; key < keys; key += n) {  // the last square may carry old cells of scratch, never used
    F square[n];
    repeat<n>([&](auto lane) { square[lane] = load<Arch>(space.dense_rows + lane * job.keys_per_tile + key); });
    transpose<Arch>(square);
    repeat<n>([&](auto k) { square[k].store_unaligned(space.terms + ((key + k) * vectors + r) * n); });
  }
}

// Slopes and spans of one vector of rows, one row per lane.
template <class Arch, std::size_t vectors>
[[gnu::flatten]] void add_position_terms(const TileJob& job, const RowTile& rows, const Workspace& space, std::size_t r,
                                         std::int64_t first, std::size_t keys, bool has_dense) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  const auto key_count = static_cast<std::int64_t>(keys);
  float begins[n], ends[n], positions[n], slopes[n];  // relative to the tile: exact in float
  for (std::size_t lane = 0; lane < n; ++lane) {
    const TileRow& row = lane_row(rows, r * n + lane);
    const std::int64_t begin = row.span_begin - first;
    const std::int64_t end = row.span_end - first;
    begins[lane] = static_cast<float>(begin < 0 ? 0 : begin > key_count ? key_count : begin);
    ends[lane] = static_cast<float>(end < 0 ? 0 : end > key_count ? key_count : end);
    positions[lane] = job.has_slopes ? static_cast<float>(row.position - first) : 0.0f;
    slopes[lane] = job.has_slopes ? row.slope : 0.0f;
  }
  const F begin = load<Arch>(begins);
  const F end = load<Arch>(ends);
  const F position = load<Arch>(positions);
  const F slope = load<Arch>(slopes);
  const F minus_infinity(-__builtin_inff());
  for (std::size_t key = 0; key < keys; ++key) {
    float* const place = space.terms + (key * vectors + r) * n;
    const F number(static_cast<float>(key));
    F term = has_dense ? load<Arch>(place) : F(0.0f);
    if (job.has_slopes) term = term - slope * xsimd::abs(position - number);
    term = xsimd::select((number < begin) | (number >= end), minus_infinity, term);
    term.store_unaligned(place);
  }
}

template <class Arch, std::size_t vectors>
[[gnu::noinline]] void make_terms(const TileJob& job, const RowTile& rows, const Workspace& space, std::int64_t first,
                                  std::size_t keys) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  const bool has_dense = job.rows[0].bias != nullptr || job.rows[0].mask != nullptr;
  const bool is_in_spans = first >= rows.full_begin && first + static_cast<std::int64_t>(keys) <= rows.full_end;
  for (std::size_t r = 0; r < vectors; ++r) {
    if (has_dense) read_dense_terms<Arch, vectors>(job, rows, space, r, first, keys);
    if (!has_dense || job.has_slopes || !is_in_spans)
      add_position_terms<Arch, vectors>(job, rows, space, r, first, keys, has_dense);
  }
  if (job.key_mask == nullptr) return;
  for (std::size_t key = 0; key < keys; ++key)
    if (hides(job.key_mask[(first + static_cast<std::int64_t>(key)) * job.key_mask_key], job.key_mask_true_is_allowed))
      repeat<vectors>([&](auto r) { F(-__builtin_inff()).store_unaligned(space.terms + (key * vectors + r) * n); });
}

}  // namespace
}  // namespace heed
