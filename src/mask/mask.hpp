// SPDX-License-Identifier: Apache-2.0
// What a mask means. allows() is the definition, one scalar sentence per rule; the spans are what the
// streaming path lowers causal, window, lengths and key padding to before any vector code runs.
#pragma once

#include <cstdint>
#include <limits>

#include "heed/attention.hpp"

namespace heed {

// Keys [begin, end). Empty spans have begin == end.
struct KeySpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool is_empty() const { return begin >= end; }
  friend bool operator==(const KeySpan&, const KeySpan&) = default;
};
KeySpan intersection(KeySpan a, KeySpan b);

// Positions and bounds come from the user at any size: sums stop at the ends instead of wrapping.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max(),
                         near = std::numeric_limits<std::int64_t>::min();
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? far : near) : sum;
}

inline bool cell_allows(std::uint8_t cell, bool true_is_allowed) { return (cell != 0) == true_is_allowed; }

// Every rule of one call. Pointers are null, and flags false, where a rule was not given.
struct Visibility {
  std::int64_t kv_len = 0;

  bool causal = false;
  std::int64_t window_left = -1;  // -1: unbounded
  std::int64_t window_right = -1;
  std::int64_t offset = 0;                // p = i + offset, the same for every batch item, or
  const std::int64_t* offsets = nullptr;  // one per batch item

  const std::int64_t* lengths = nullptr;

  const std::uint8_t* key_mask = nullptr;
  std::int64_t key_mask_batch = 0, key_mask_key = 0;  // strides
  bool key_mask_true_is_allowed = false;

  const std::uint8_t* mask = nullptr;
  Dims mask_strides{};  // size-1 dimensions have stride 0
  bool mask_true_is_allowed = false;

  // The definition: may query row i of head h in batch item b read key j?
  bool allows(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;

  std::int64_t position(std::int64_t b, std::int64_t i) const;  // p

  // Do rows of one batch item differ in their spans?
  bool has_row_spans() const { return causal || window_left >= 0 || window_right >= 0; }

  // Keys that lengths and the leading and trailing run of key padding leave, for any row of b.
  KeySpan keys_of_batch(std::int64_t b) const;
  // Keys that causal and window leave to a row.
  KeySpan keys_of_row(std::int64_t b, std::int64_t i) const;
  // Both. A key outside is hidden; one inside is visible unless a boolean cell hides it.
  KeySpan visible_keys(std::int64_t b, std::int64_t i) const {
    return intersection(keys_of_batch(b), keys_of_row(b, i));
  }
};

inline std::int64_t Visibility::position(std::int64_t b, std::int64_t i) const {
  return saturating_add(i, offsets != nullptr ? offsets[b] : offset);
}

inline bool Visibility::allows(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const std::int64_t p = position(b, i);
  if (causal && j > p) return false;
  if (window_left >= 0 && j < saturating_add(p, -window_left)) return false;
  if (window_right >= 0 && j > saturating_add(p, window_right)) return false;
  if (lengths != nullptr && j >= lengths[b]) return false;
  if (key_mask != nullptr && !cell_allows(key_mask[b * key_mask_batch + j * key_mask_key], key_mask_true_is_allowed))
    return false;
  if (mask != nullptr) {
    const std::int64_t cell = b * mask_strides[0] + h * mask_strides[1] + i * mask_strides[2] + j * mask_strides[3];
    if (!cell_allows(mask[cell], mask_true_is_allowed)) return false;
  }
  return true;
}

}  // namespace heed
