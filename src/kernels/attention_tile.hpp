// SPDX-License-Identifier: Apache-2.0
// The loop over key tiles: terms, weights, values; then the results. Called once per job by the
// streaming path, through the table.
//
// The streaming softmax, for a row with scores s_j, a reference m near their maximum so far, row sum l
// and unscaled output o (all per lane):
//
//   m' = m, or s_j where s_j > m + headroom        rescale = exp(m - m')
//   w_j = exp(s_j - m')
//   l' = l * rescale + sum of w_j                  o' = o * rescale + sum of w_j v_j
//   at the end: out = o / l, lse = m + log(l)
#pragma once

#include "kernels/class_tile.hpp"
#include "kernels/mask_tile.hpp"
#include "kernels/rows_tile.hpp"
#include "kernels/score_tile.hpp"
#include "kernels/value_tile.hpp"

namespace heed {
namespace {

// The part of a key tile that a row tile may see, with its terms; no keys where that is nothing.
template <class Arch, std::size_t vectors>
KeyTile visible_part(const TileJob& job, const RowTile& rows, const Workspace& space, KeyTile tile, std::int64_t end) {
  const std::int64_t first = tile.first > rows.keys_begin ? tile.first : rows.keys_begin;
  const std::int64_t last = end < rows.keys_end ? end : rows.keys_end;
  if (first >= last) return {first, 0, nullptr, nullptr, 0, 0, nullptr};
  tile.k += (first - tile.first) * tile.k_token;
  tile.v += (first - tile.first) * tile.v_token;
  tile.first = first;
  tile.keys = static_cast<std::size_t>(last - first);
  if (needs_terms(job, rows, first, tile.keys)) {
    make_terms<Arch, vectors>(job, rows, space, first, tile.keys);
    tile.terms = space.terms;
  }
  return tile;
}

// The weights that out was made with: scores once more, against the final reference and row sum.
template <class Arch, std::size_t vectors>
[[gnu::flatten]] void store_weights(const TileJob& job, const RowTile& rows, const Workspace& space, bool careful,
                                    const SoftmaxState<Arch, vectors>& state) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t row = 0; row < rows.row_count; ++row) clear_weights(job, rows, rows.rows[row].weights);
  F inverse[vectors];
  repeat<vectors>([&](auto r) { inverse[r] = inverse_sum<Arch>(job, state.sum[r]); });
  for_each_key_tile(job, rows.keys_begin, rows.keys_end, [&](std::int64_t begin, std::int64_t end) {
    const KeyTile whole = open_tile<1>(job, space.dense_k, space.dense_v, begin, static_cast<std::size_t>(end - begin));
    const KeyTile tile = visible_part<Arch, vectors>(job, rows, space, whole, end);
    for_each_piece<micro_keys<Arch, vectors>>(tile.keys, [&](auto keys, std::size_t first) {
      float* const weights = space.weights + first * vectors * n;
      F acc[keys][vectors];
      multiply_keys<Arch, vectors, keys, 0>(job, space.q, tile.k + static_cast<std::ptrdiff_t>(first) * tile.k_token,
                                            tile.k_token, weights, acc);
      finish_scores<Arch, vectors, keys>(job, tile.terms == nullptr ? nullptr : tile.terms + first * vectors * n,
                                         careful, weights, acc);
      repeat<keys>([&](auto key) {
        repeat<vectors>([&](auto r) {
          const F weight = state.weight(acc[key][r], r) * inverse[r];
          const auto is_hidden = acc[key][r] == F(-infinity);  // weighs 0 in a row of NaNs too
          xsimd::select(is_hidden, F(0.0f), weight).store_unaligned(weights + (key * vectors + r) * n);
        });
      });
    });
    for (std::size_t r = 0; r < vectors; ++r)
      store_rows<Arch, vectors>(
          tile.keys, job.weights_key, r, rows.row_count,
          [&](std::size_t row) { return rows.rows[row].weights + tile.first * job.weights_key; },
          [&](std::size_t vector) { return load<Arch>(space.weights + vector * n); });
  });
}

// The row tiles of a job, all of `vectors` vectors. Not careful: a hidden key's weight is 0, and
// multiplied. That is right unless its K or V holds NaN or infinity, which then shows in the results;
// they are checked as they are stored, and the job is done again, careful. So finite inputs pay one FMA
// per result for it. Answers whether all results are finite.
template <class Arch, std::size_t vectors>
bool attend_once(const TileJob& job, bool careful) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  constexpr std::size_t tile_rows = max_vectors * n;
  const std::size_t tiles = (job.row_count + tile_rows - 1) / tile_rows;
  RowTile rows[max_row_tiles];
  Workspace spaces[max_row_tiles];
  SoftmaxState<Arch, vectors> states[max_row_tiles];
  std::int64_t begin = 0, end = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t first_row = t * tile_rows;
    const std::size_t rest = job.row_count - first_row;
    rows[t] = make_row_tile(job, first_row, rest < tile_rows ? rest : tile_rows);
    spaces[t] = make_workspace(job, n, t);
    if (rows[t].keys_begin < rows[t].keys_end) {
      begin = begin < end && begin < rows[t].keys_begin ? begin : rows[t].keys_begin;
      end = end > rows[t].keys_end ? end : rows[t].keys_end;
    }
    load_queries<Arch, vectors>(job, rows[t], spaces[t]);
    if (job.has_sinks) {
      float sinks[vectors * n];
      for (std::size_t lane = 0; lane < vectors * n; ++lane) sinks[lane] = lane_row(rows[t], lane).sink;
      states[t].start(sinks);
    } else {
      states[t].start();
    }
  }

  auto weigh = weigh_tile<Arch, vectors, 0>;
  with_head_dim(job.head_dim, [&](auto head_dim) { weigh = weigh_tile<Arch, vectors, head_dim>; });
  auto read = careful ? read_values<Arch, vectors, true> : read_values<Arch, vectors, false>;
  if (job.classes != nullptr) read = careful ? read_classes<Arch, vectors, true> : read_classes<Arch, vectors, false>;
  for_each_key_tile(job, begin, end, [&](std::int64_t first, std::int64_t last) {
    const KeyTile whole =
        open_tile<1>(job, spaces[0].dense_k, spaces[0].dense_v, first, static_cast<std::size_t>(last - first));
    for (std::size_t t = 0; t < tiles; ++t) {
      const KeyTile tile = visible_part<Arch, vectors>(job, rows[t], spaces[t], whole, last);
      if (tile.keys == 0) continue;
      const std::size_t tiles_before = states[t].tiles;
      weigh(job, spaces[t], tile, careful, states[t]);
      read(job, spaces[t], tile, tiles_before);
    }
  });

  bool is_finite = true;
  for (std::size_t t = 0; t < tiles; ++t) {
    if (states[t].tiles == 0)  // no key to see: nothing has been written
      for (std::size_t i = 0; i < job.value_dim * vectors; ++i) F(0.0f).store_unaligned(spaces[t].out + i * n);
    is_finite &= store_results<Arch, vectors>(job, rows[t], spaces[t], states[t]);
  }
  if (job.rows[0].weights != nullptr && (is_finite || careful))
    for (std::size_t t = 0; t < tiles; ++t) store_weights<Arch, vectors>(job, rows[t], spaces[t], careful, states[t]);
  return is_finite;
}

template <class Arch>
void attend(const TileJob& job) noexcept {
  constexpr std::size_t n = lanes<Arch>;
  const auto once = job.row_count <= n       ? attend_once<Arch, 1>
                    : job.row_count <= 2 * n ? attend_once<Arch, 2>
                                             : attend_once<Arch, max_vectors>;
  if (!once(job, false)) once(job, true);
}

}  // namespace
}  // namespace heed
