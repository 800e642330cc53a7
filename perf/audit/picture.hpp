// SPDX-License-Identifier: Apache-2.0
// The attention matrix as a picture in SVG: rows by keys, entropy beside each row, weight below each key.
#pragma once

#include <string>
#include <vector>

#include "audit/shown.hpp"

namespace heed::audit {

// Which of the shown rows (by place) and keys are drawn: all of them, or so many that the picture stays
// below about 1.5 MB and the keys are not finer than a screen.
struct Drawn {
  std::vector<std::int64_t> rows, keys;
  bool has_all_rows = true, has_all_keys = true;
};
Drawn drawn_of(const Shown& shown);

// Needs the rules of picture_style() in the page around it.
std::string picture(const Shown& shown, const Drawn& drawn);

// A file of its own, which stays light on dark pages. `shown` has at least one cell.
std::string picture_file(const Shown& shown);

}  // namespace heed::audit
