// SPDX-License-Identifier: Apache-2.0
// Looks at weights, whole or in sampled blocks.
#include "audit/weights_check.hpp"

#include <algorithm>

#include "audit/block_weights.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t sampled_blocks = 64;
constexpr std::int64_t rows_per_block = 48;              // two of the streaming path's row tiles
constexpr std::int64_t most_floats_per_block = 1 << 24;  // 64 MiB

Status look_at_block(const Call& call, const AllRowFacts& facts, Path path, const Block& block, WeightsFound& found) {
  BlockWeights weights;
  if (Status status = attend_block(call, path, block, weights); !status.ok()) return status;
  const std::int64_t group = call.sizes().group;
  for (std::int64_t head = 0; head < group; ++head)
    for (std::int64_t i = 0; i < block.rows; ++i)
      look_at_row(call, facts, {block.b, block.kv_head * group + head, block.first + i},
                  {weights.values.data(), weights.strides}, {0, head, i}, found);
  return {};
}

}  // namespace

void look_at_row(const Call& call, const AllRowFacts& facts, const RowPlace& row, const Grid<float>& weights,
                 const RowPlace& place_in_weights, WeightsFound& found) {
  const RowFacts& fact = facts.at(row);
  if (!fact.has_finite_scores()) return;
  ++found.rows;
  double sum = 0.0;
  for (std::int64_t j = 0; j < call.sizes().kv_len; ++j) {
    const double weight = weights.at(place_in_weights, j);
    sum += weight;
    if (weight != 0.0 && is_hidden(call, row, j))
      found.hidden_weight = std::max(found.hidden_weight, distance(weight, 0.0));
  }
  const double error = distance(sum, fact.visible > 0 ? 1.0 : 0.0);
  if (error > found.row_sum_error) {
    found.row_sum_error = error;
    found.worst_sum = row;
  }
}

WeightsFound look_at_weights(const Call& call, const AllRowFacts& facts, const Grid<float>& weights) {
  WeightsFound found;
  for_each_row(call.sizes(), [&](const RowPlace& row) { look_at_row(call, facts, row, weights, row, found); });
  return found;
}

Status look_at_sampled_weights(const Call& call, const AllRowFacts& facts, Path path, WeightsFound& found) {
  const Sizes& sizes = call.sizes();
  if (sizes.rows() == 0) return {};
  const std::int64_t fitting = most_floats_per_block / std::max<std::int64_t>(sizes.group * sizes.kv_len, 1);
  const std::int64_t rows = std::min(std::clamp<std::int64_t>(fitting, 1, rows_per_block), sizes.q_len);
  const std::int64_t blocks_per_head = (sizes.q_len + rows - 1) / rows;
  const std::int64_t blocks = sizes.batch * sizes.kv_heads * blocks_per_head;
  const std::int64_t looked_at = std::min(blocks, sampled_blocks);
  for (std::int64_t n = 0; n < looked_at; ++n) {
    // Evenly spread, the first and the last block included.
    const std::int64_t index = looked_at == 1 ? 0 : n * (blocks - 1) / (looked_at - 1);
    const std::int64_t head = index / blocks_per_head;
    const std::int64_t first = index % blocks_per_head * rows;
    const Block block{head / sizes.kv_heads, head % sizes.kv_heads, first, std::min(rows, sizes.q_len - first)};
    if (Status status = look_at_block(call, facts, path, block, found); !status.ok()) return status;
  }
  return {};
}

}  // namespace heed::audit
