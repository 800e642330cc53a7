// SPDX-License-Identifier: Apache-2.0
// The rules and their spans; mask.hpp says what each is for.
#include "mask/mask.hpp"

#include <algorithm>

namespace heed {

KeySpan intersection(KeySpan a, KeySpan b) {
  const KeySpan both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.is_empty() ? KeySpan{} : both;
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
