// SPDX-License-Identifier: Apache-2.0
// Few queries over many keys are cut into parts of the keys, so that threads can share one KV head. Each part
// leaves reference, row sum and undivided out of every row; they are merged in the order of the parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/problem.hpp"
#include "plan/tile_shape.hpp"

namespace heed {

// What is cut and where depends on q_len, group and kv_len (and the tile) alone: threads and batch can't
// show in a row's bits.
struct KeyParts {
  std::int64_t count = 1;
  std::int64_t keys = 0;   // of every part but the last
  bool are_items = false;  // true: threads share the parts of an item; false: one thread walks them
};
inline constexpr std::int64_t most_key_parts = 32;
KeyParts choose_key_parts(const Problem& problem, const TileShape& tile);

// What a part leaves of one row: reference, row sum, out; in whole cache lines, so that no two threads share one.
inline std::size_t part_row_floats(const Problem& problem) {
  constexpr std::size_t line = 16;
  return (2 + static_cast<std::size_t>(problem.value_dim) + line - 1) / line * line;
}

}  // namespace heed
