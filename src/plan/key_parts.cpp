// SPDX-License-Identifier: Apache-2.0
// Tuning numbers of the cut.
#include "plan/key_parts.hpp"

#include <algorithm>

namespace heed {

KeyParts choose_key_parts(const Problem& problem, const TileShape& tile) {
  // More rows make row tiles enough for threads to share, and partial results large.
  constexpr std::int64_t most_rows = 64;
  // A part of 1024 keys of 64 channels takes 30 us to read from memory at 17 GB/s.
  constexpr std::int64_t fewest_keys = 1024;
  KeyParts parts;
  if (problem.group * problem.q_len > most_rows) return parts;
  const std::int64_t count = std::clamp<std::int64_t>(problem.kv_len / fewest_keys, 1, most_key_parts);
  if (count == 1) return parts;
  // Whole tiles, which begin at multiples of their size.
  const auto step = static_cast<std::int64_t>(tile.keys);
  parts.keys = ((problem.kv_len + count - 1) / count + step - 1) / step * step;
  parts.count = (problem.kv_len + parts.keys - 1) / parts.keys;
  return parts;
}

}  // namespace heed
