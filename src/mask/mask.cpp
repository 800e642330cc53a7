// SPDX-License-Identifier: Apache-2.0
// The rules and their spans; mask.hpp says what each is for.
#include "mask/mask.hpp"

#include <algorithm>
#include <limits>

namespace heed {
namespace {

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t near = std::numeric_limits<std::int64_t>::min();

// Positions and bounds come from the user at any size: sums stop at the ends instead of wrapping.
std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? far : near) : sum;
}

bool cell_allows(std::uint8_t cell, bool true_is_allowed) { return (cell != 0) == true_is_allowed; }

}  // namespace

KeySpan intersection(KeySpan a, KeySpan b) {
  const KeySpan both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.is_empty() ? KeySpan{} : both;
}

std::int64_t Visibility::position(std::int64_t b, std::int64_t i) const {
  return saturating_add(i, offsets != nullptr ? offsets[b] : offset);
}

bool Visibility::allows(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
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

KeySpan Visibility::keys_of_batch(std::int64_t b) const {
  KeySpan keys{0, lengths != nullptr ? std::min(lengths[b], kv_len) : kv_len};
  if (key_mask == nullptr) return keys;
  const auto hides = [&](std::int64_t j) {
    return !cell_allows(key_mask[b * key_mask_batch + j * key_mask_key], key_mask_true_is_allowed);
  };
  while (!keys.is_empty() && hides(keys.begin)) ++keys.begin;
  while (!keys.is_empty() && hides(keys.end - 1)) --keys.end;
  return keys.is_empty() ? KeySpan{} : keys;
}

KeySpan Visibility::keys_of_row(std::int64_t b, std::int64_t i) const {
  const std::int64_t p = position(b, i);
  KeySpan keys{0, kv_len};
  if (causal) keys = intersection(keys, {0, saturating_add(p, 1)});
  if (window_left >= 0) keys = intersection(keys, {saturating_add(p, -window_left), kv_len});
  if (window_right >= 0) keys = intersection(keys, {0, saturating_add(saturating_add(p, window_right), 1)});
  return keys;
}

}  // namespace heed
