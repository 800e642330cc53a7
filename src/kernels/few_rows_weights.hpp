// SPDX-License-Identifier: Apache-2.0
// Scores and weights of few rows: products with channels in the lanes, the softmax with keys in the lanes.
#pragma once

#include "kernels/mask_tile.hpp"
#include "kernels/rows_tile.hpp"
#include "kernels/score_tile.hpp"
#include "kernels/value_tile.hpp"

namespace heed {
namespace {

// A thread's scratch, in the order of few_rows_floats() in plan/tile_shape.cpp. Rows are filled up with zeros
// to whole vectors.
struct FewWorkspace {
  std::size_t head_width, value_width;  // floats of a row of q, of out
  std::size_t row_cells;                // floats of a row of weights: a tile of keys and a vector
  float* q;                             // [row][channel], scaled
  float* out;                           // [row][sum, lost][channel]
  float* weights;                       // [row][cell]; the cell of a key has the key's number modulo a vector
  float* terms;                         // likewise
  float* dense_k;                       // [key][channel], copies
  float* dense_v;

  template <class Arch>
  std::size_t first_cell(const KeyTile& tile) const {
    return static_cast<std::size_t>(tile.first) % lanes<Arch>;
  }
};

template <class Arch>
FewWorkspace make_few_workspace(const TileJob& job) {
  constexpr std::size_t n = lanes<Arch>;
  FewWorkspace space;
  space.head_width = width_of<n>(job.head_dim);
  space.value_width = width_of<n>(job.value_dim);
  space.row_cells = width_of<n>(job.keys_per_tile) + n;
  space.q = job.scratch;
  space.out = space.q + max_few_rows * space.head_width;
  space.weights = space.out + max_few_rows * 2 * space.value_width;
  space.terms = space.weights + max_few_rows * space.row_cells;
  space.dense_k = space.terms + max_few_rows * space.row_cells;
  space.dense_v = space.dense_k + job.keys_per_tile * space.head_width;
  return space;
}

template <class Arch>
void load_few_rows(const TileJob& job, const FewWorkspace& space) {
  for (std::size_t r = 0; r < job.row_count; ++r) {
    const float* const from = job.rows[r].q;
    float* const to = space.q + r * space.head_width;
    if (job.q_channel == 1)
      for (std::size_t c = 0; c < job.head_dim; ++c) to[c] = job.scale * from[c];
    else
      for (std::size_t c = 0; c < job.head_dim; ++c)
        to[c] = job.scale * from[static_cast<std::ptrdiff_t>(c) * job.q_channel];
    for (std::size_t c = job.head_dim; c < space.head_width; ++c) to[c] = 0.0f;
  }
}

// One row's part of a term, see mask_tile.hpp.
inline void make_row_terms(const TileJob& job, const TileRow& row, std::int64_t first, std::size_t keys,
                           float* __restrict terms) {
  read_dense_row(job, row, first, keys, terms);
  if (job.has_slopes) {
    const auto position = static_cast<float>(row.position - first);
    for (std::size_t key = 0; key < keys; ++key)
      terms[key] -= row.slope * __builtin_fabsf(position - static_cast<float>(key));
  }
  for (std::size_t key = 0; key < keys; ++key) {
    const std::int64_t number = first + static_cast<std::int64_t>(key);
    const bool is_padding =
        job.key_mask != nullptr && hides(job.key_mask[number * job.key_mask_key], job.key_mask_true_is_allowed);
    if (number < row.span_begin || number >= row.span_end || is_padding) terms[key] = -infinity;
  }
}

template <class Arch>
KeyTile open_few_tile(const TileJob& job, const RowTile& rows, const FewWorkspace& space, std::int64_t first,
                      std::size_t keys) {
  KeyTile tile = open_tile<lanes<Arch>>(job, space.dense_k, space.dense_v, first, keys);
  if (!needs_terms(job, rows, first, keys)) return tile;
  for (std::size_t r = 0; r < job.row_count; ++r)
    make_row_terms(job, job.rows[r], first, keys,
                   space.terms + r * space.row_cells + space.template first_cell<Arch>(tile));
  tile.terms = space.terms;
  return tile;
}

// Products of a row with as many keys as a vector has lanes, a key in each lane of the result.
template <class Arch>
HEED_INLINE Floats<Arch> multiply_row(const float* q, const float* k, std::ptrdiff_t k_token, std::size_t width) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  F acc[n];
  const F first = load<Arch>(q);
  repeat<n>([&](auto key) { acc[key] = first * load<Arch>(k + static_cast<std::ptrdiff_t>(key) * k_token); });
  for (std::size_t c = n; c < width; c += n) {
    const F channels = load<Arch>(q + c);
    repeat<n>([&](auto key) {
      acc[key] = fma<Arch>(channels, load<Arch>(k + static_cast<std::ptrdiff_t>(key) * k_token + c), acc[key]);
    });
  }
  return sums_of_lanes<Arch>(acc);
}

// Asks for what is read after the keys [key, end): their values, and the keys a vector of them further on.
template <class Arch>
HEED_INLINE void fetch_rows(const TileJob& job, const KeyTile& tile, std::size_t key, std::size_t end) {
  constexpr std::size_t line = 16;  // floats
  for (; key < end; ++key) {
    const float* const k = tile.k + static_cast<std::ptrdiff_t>(key + lanes<Arch>) * tile.k_token;
    const float* const v = tile.v + static_cast<std::ptrdiff_t>(key) * tile.v_token;
    for (std::size_t c = 0; c < job.head_dim; c += line) __builtin_prefetch(k + c);
    for (std::size_t c = 0; c < job.value_dim; c += line) __builtin_prefetch(v + c);
  }
}

// Products of all rows with the keys of a tile. The last vector of keys begins early enough to be full, and
// writes some products again; of a tile of fewer keys, which is a copy, it ends in scratch.
template <class Arch>
[[gnu::flatten]] void multiply_rows(const TileJob& job, const FewWorkspace& space, const KeyTile& tile) {
  constexpr std::size_t n = lanes<Arch>;
  const float* const k = tile.k;  // read from the tile with every row, llama8b-dec-4k is 7 % slower
  const std::ptrdiff_t k_token = tile.k_token;
  for (std::size_t done = 0; done < tile.keys; done += n) {
    const std::size_t key = done + n <= tile.keys ? done : tile.keys > n ? tile.keys - n : 0;
    if (job.ahead != nullptr) fetch_ahead(*job.ahead, n);
    for (std::size_t r = 0; r < job.row_count; ++r) {
      // A few lines with every row: all at once they fill the buffers that loads of this row wait for.
      if (job.ahead == nullptr)
        fetch_rows<Arch>(job, tile, key + n * r / job.row_count, key + n * (r + 1) / job.row_count);
      multiply_row<Arch>(space.q + r * space.head_width, k + static_cast<std::ptrdiff_t>(key) * k_token, k_token,
                         space.head_width)
          .store_unaligned(space.weights + r * space.row_cells + space.template first_cell<Arch>(tile) + key);
    }
  }
}

// The running softmax of a row, as SoftmaxState; its sum is spread over the lanes by key number.
template <class Arch>
struct RowState {
  using F = Floats<Arch>;
  F sum, lost;
  float reference, limit;

  void start(float sink) {
    const bool has_sink = sink != -infinity;
    float first[lanes<Arch>] = {has_sink ? 1.0f : 0.0f};
    sum = load<Arch>(first);
    lost = F(0.0f);
    reference = has_sink ? sink : 0.0f;
    limit = has_sink ? sink + headroom : -infinity;
  }

  double total() const {
    float sums[lanes<Arch>], losses[lanes<Arch>];
    sum.store_unaligned(sums);
    lost.store_unaligned(losses);
    double result = 0.0;
    for (std::size_t lane = 0; lane < lanes<Arch>; ++lane)
      result += static_cast<double>(sums[lane]) - static_cast<double>(losses[lane]);
    return result;
  }
};

// Raises the reference to the largest of `tops`, and rescales what the row has summed so far.
template <class Arch>
[[gnu::noinline, gnu::cold]] void raise_row(const FewWorkspace& space, std::size_t row, const float* tops,
                                            bool has_sums, RowState<Arch>& state) {
  using F = Floats<Arch>;
  float top = tops[0];
  for (std::size_t lane = 1; lane < lanes<Arch>; ++lane) top = tops[lane] > top ? tops[lane] : top;
  const F rescale = state.limit == -infinity ? F(1.0f) : exp<Arch>(F(state.reference - top));
  state.reference = top;
  state.limit = top + headroom;
  state.sum = state.sum * rescale;
  state.lost = state.lost * rescale;
  if (!has_sums) return;
  float* const sums = space.out + row * 2 * space.value_width;
  for (std::size_t c = 0; c < 2 * space.value_width; c += lanes<Arch>)
    (load<Arch>(sums + c) * rescale).store_unaligned(sums + c);
}

// Scores of one row of a tile, all that is added to products: cap and terms; cells beside the tile's hold
// minus infinity. Answers how many cells that are.
template <class Arch>
HEED_INLINE std::size_t finish_row_scores(const TileJob& job, const FewWorkspace& space, const KeyTile& tile,
                                          std::size_t row, float* scores) {
  const std::size_t begin = space.template first_cell<Arch>(tile);
  const std::size_t end = begin + tile.keys;
  const std::size_t cells = width_of<lanes<Arch>>(end);
  if (job.soft_cap > 0.0f || tile.terms != nullptr)
    change_scores<Arch>(job, tile.terms == nullptr ? nullptr : tile.terms + row * space.row_cells, cells, scores);
  for (std::size_t cell = 0; cell < begin; ++cell) scores[cell] = -infinity;
  for (std::size_t cell = end; cell < cells; ++cell) scores[cell] = -infinity;
  return cells;
}

// Products of a row of a tile turned into weights in place, and their sum added to the state.
template <class Arch>
[[gnu::flatten]] void weigh_row(const TileJob& job, const FewWorkspace& space, const KeyTile& tile, std::size_t row,
                                bool careful, std::size_t tiles_before, RowState<Arch>& state) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  float* const weights = space.weights + row * space.row_cells;
  const std::size_t cells = finish_row_scores<Arch>(job, space, tile, row, weights);
  F top(-infinity);
  for (std::size_t cell = 0; cell < cells; cell += n) {
    const F score = load<Arch>(weights + cell);
    top = xsimd::select(score > top, score, top);  // a NaN is not above anything
  }
  if (__builtin_expect(xsimd::any(top > F(state.limit)), false)) {
    float tops[n];
    top.store_unaligned(tops);
    raise_row<Arch>(space, row, tops, tiles_before > 0, state);
  }
  const F reference(state.reference);
  F sum(0.0f);
  for (std::size_t cell = 0; cell < cells; cell += n) {
    const F score = load<Arch>(weights + cell);
    const F weight = exp<Arch>(score - reference);
    sum = sum + weight;
    (careful ? xsimd::select(score == F(-infinity), F(hidden_weight), weight) : weight).store_unaligned(weights + cell);
  }
  add_keeping_loss<Arch>(sum, state.sum, state.lost);
}

// The weights that out was made with: scores once more, against the final reference and row sum.
template <class Arch>
[[gnu::flatten]] void store_few_weights(const TileJob& job, const RowTile& rows, const FewWorkspace& space,
                                        const RowState<Arch>* states) {
  using F = Floats<Arch>;
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t r = 0; r < job.row_count; ++r) clear_weights(job, rows, job.rows[r].weights);
  for_each_key_tile(job, rows.keys_begin, rows.keys_end, [&](std::int64_t first, std::int64_t last) {
    const KeyTile tile = open_few_tile<Arch>(job, rows, space, first, static_cast<std::size_t>(last - first));
    multiply_rows<Arch>(job, space, tile);
    for (std::size_t r = 0; r < job.row_count; ++r) {
      float* const weights = space.weights + r * space.row_cells;
      const std::size_t cells = finish_row_scores<Arch>(job, space, tile, r, weights);
      const F reference(states[r].reference);
      const F inverse = inverse_sum<Arch>(job, F(static_cast<float>(states[r].total())));
      for (std::size_t cell = 0; cell < cells; cell += n) {
        const F score = load<Arch>(weights + cell);
        const F weight = exp<Arch>(score - reference) * inverse;
        xsimd::select(score == F(-infinity), F(0.0f), weight).store_unaligned(weights + cell);
      }
      const float* const from = weights + space.template first_cell<Arch>(tile);
      float* const to = job.rows[r].weights + first * job.weights_key;
      for (std::size_t key = 0; key < tile.keys; ++key)
        to[static_cast<std::ptrdiff_t>(key) * job.weights_key] = from[key];
    }
  });
}

}  // namespace
}  // namespace heed
