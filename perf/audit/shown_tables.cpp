// SPDX-License-Identifier: Apache-2.0
// See shown_tables.hpp.
#include "audit/shown_tables.hpp"

#include <algorithm>
#include <numeric>

#include "audit/text.hpp"

namespace heed::audit {

std::string shown_title(const Shown& shown) {
  std::string title = text("weights of batch item %lld, head %lld, by %s: rows %lld:%lld",
                           static_cast<long long>(shown.b), static_cast<long long>(shown.h), shown.path.c_str(),
                           static_cast<long long>(shown.range.first), static_cast<long long>(shown.range.end));
  if (shown.is_sample()) title += text(", %zu of them, evenly spread", shown.rows.size());
  title += text("; %lld of %lld cells blocked", static_cast<long long>(shown.blocked_cells),
                static_cast<long long>(shown.cells()));
  if (shown.is_own_call) title += "; each row in a call of its own";
  return title;
}

std::vector<std::int64_t> heaviest_keys(const Shown& shown, std::size_t most) {
  std::vector<std::int64_t> keys(shown.key_sums.size());
  std::iota(keys.begin(), keys.end(), 0);
  if (keys.size() <= most) return keys;
  const auto sum = [&](std::int64_t key) { return shown.key_sums[static_cast<std::size_t>(key)]; };
  std::stable_sort(keys.begin(), keys.end(), [&](std::int64_t a, std::int64_t b) { return sum(a) > sum(b); });
  keys.resize(most);
  std::sort(keys.begin(), keys.end());
  return keys;
}

Table row_table(const Shown& shown) {
  Table table({"row", "sum", "entropy, nats", "largest weight", "at key", "blocked keys"});
  for (const ShownRow& row : shown.rows)
    table.add({shown.row_labels.numbered(row.row), number("%.7f", row.sum), number("%.4f", row.entropy),
               number("%.6f", row.largest), row.largest_key < 0 ? "-" : shown.key_labels.numbered(row.largest_key),
               std::to_string(row.blocked)});
  return table;
}

Table key_table(const Shown& shown, const std::vector<std::int64_t>& keys) {
  Table table({"key", "weight, sum of rows", "blocked in rows"});
  for (const std::int64_t key : keys) {
    const auto n = static_cast<std::size_t>(key);
    table.add(
        {shown.key_labels.numbered(key), number("%.6f", shown.key_sums[n]), std::to_string(shown.key_blocked[n])});
  }
  return table;
}

}  // namespace heed::audit
