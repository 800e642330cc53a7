// SPDX-License-Identifier: Apache-2.0
// The shown rows and keys as tables, the same on the terminal and on the page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/shown.hpp"
#include "audit/table.hpp"

namespace heed::audit {

// "weights of batch item 5, head 3, by streaming: rows 0:19; 76 of 361 cells blocked"
std::string shown_title(const Shown& shown);

// At most `most` keys: those that receive the most, in their own order.
std::vector<std::int64_t> heaviest_keys(const Shown& shown, std::size_t most);

Table row_table(const Shown& shown);
Table key_table(const Shown& shown, const std::vector<std::int64_t>& keys);

}  // namespace heed::audit
