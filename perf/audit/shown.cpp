// SPDX-License-Identifier: Apache-2.0
// Selects rows of a head, and adds up their weights.
#include "audit/shown.hpp"

#include <algorithm>
#include <cmath>

#include "audit/block_weights.hpp"
#include "audit/error.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t most_rows = 256;

void add_row(const Call& call, const Shown& place, ShownRow& row, const Grid<float>& weights,
             const RowPlace& place_in_weights, Shown& shown) {
  for (std::int64_t j = 0; j < shown.kv_len; ++j) {
    const double weight = weights.at(place_in_weights, j);
    const bool blocked = is_hidden(call, {place.b, place.h, row.row}, j);
    shown.weights.push_back(static_cast<float>(weight));
    shown.blocked.push_back(blocked);
    shown.key_sums[static_cast<std::size_t>(j)] += weight;
    shown.key_blocked[static_cast<std::size_t>(j)] += blocked;
    row.sum += weight;
    row.blocked += blocked;
    if (weight != 0.0) row.entropy -= weight * std::log(weight);
    if (!blocked && (row.largest_key < 0 || weight > row.largest)) {
      row.largest = weight;
      row.largest_key = j;
    }
  }
  shown.blocked_cells += row.blocked;
}

}  // namespace

std::vector<std::int64_t> evenly_spread(std::int64_t first, std::int64_t end, std::int64_t most) {
  const std::int64_t count = std::min(end - first, most);
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 0; n < count; ++n)
    numbers.push_back(count == 1 ? first : first + n * (end - first - 1) / (count - 1));
  return numbers;
}

Shown select(const Arguments& arguments, const Call& call) {
  const Sizes& sizes = call.sizes();
  const auto [b, h] = arguments.weights_of.value_or(HeadPlace{});
  if (b < 0 || b >= sizes.batch || h < 0 || h >= sizes.q_heads)
    throw Error("--weights-of: " + std::to_string(b) + "," + std::to_string(h) + ", expected a batch item below " +
                std::to_string(sizes.batch) + " and a head below " + std::to_string(sizes.q_heads));
  const RowRange range = arguments.rows.value_or(RowRange{0, sizes.q_len});
  if (range.first < 0 || range.first >= range.end || range.end > sizes.q_len)
    throw Error("--rows: " + std::to_string(range.first) + ":" + std::to_string(range.end) +
                ", expected FIRST:END with 0 <= FIRST < END <= " + std::to_string(sizes.q_len));
  Shown shown;
  shown.path = path_name(arguments.path);
  shown.b = b;
  shown.h = h;
  shown.range = range;
  shown.kv_len = sizes.kv_len;
  for (const std::int64_t row : evenly_spread(range.first, range.end, most_rows)) shown.rows.push_back({.row = row});
  shown.row_labels = read_labels(arguments.row_labels, sizes.q_len, "query row");
  shown.key_labels = read_labels(arguments.key_labels, sizes.kv_len, "key");
  return shown;
}

Status fill(const Call& call, Path path, const std::vector<float>& whole, Shown& shown) {
  const Sizes& sizes = call.sizes();
  shown.is_own_call = whole.empty();
  shown.key_sums.assign(static_cast<std::size_t>(sizes.kv_len), 0.0);
  shown.key_blocked.assign(static_cast<std::size_t>(sizes.kv_len), 0);
  const Dims whole_strides = call.storage().strides(sizes.q_heads, sizes.q_len, sizes.kv_len);
  for (ShownRow& row : shown.rows) {
    if (!whole.empty()) {
      add_row(call, shown, row, {whole.data(), whole_strides}, {shown.b, shown.h, row.row}, shown);
      continue;
    }
    BlockWeights weights;
    const Block block{shown.b, shown.h / sizes.group, row.row, 1};
    if (Status status = attend_block(call, path, block, weights); !status.ok()) return status;
    add_row(call, shown, row, {weights.values.data(), weights.strides}, {0, shown.h % sizes.group, 0}, shown);
  }
  return {};
}

}  // namespace heed::audit
