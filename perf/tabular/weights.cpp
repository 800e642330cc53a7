// SPDX-License-Identifier: Apache-2.0
#include "tabular/weights.hpp"

#include <algorithm>
#include <cmath>

namespace heed::perf {

ModelWeights::ModelWeights(const ModelSizes& sizes, std::int64_t class_count, std::uint64_t seed)
    : sizes_(sizes), random_(seed) {
  const std::int64_t cell_channels = sizes.cell_channels, row_channels = sizes.row_channels();
  cell = draw_linear(cell_channels, 3);
  readers = draw(sizes.readers * cell_channels, 1.0);
  classes = draw(class_count * row_channels, 1.0);
  for (std::int64_t n = 0; n < sizes.blocks; ++n) {
    ColumnWeights column{draw(sizes.points * cell_channels, 1.0), draw_attention(cell_channels, sizes.cell_heads),
                         draw_attention(cell_channels, sizes.cell_heads)};
    column.induce.scaling = draw_scaling(cell_channels, sizes.cell_heads);
    columns.push_back(std::move(column));
    rows.push_back(draw_attention(cell_channels, sizes.cell_heads));
    context.push_back(draw_attention(row_channels, sizes.row_heads));
    context.back().scaling = draw_scaling(row_channels, sizes.row_heads);
  }
  read_out = draw_attention(cell_channels, sizes.cell_heads);
  decoder.q_heads = decoder.kv_heads = sizes.decoder_heads;
  decoder.w_q = draw_linear(sizes.decoder_heads * sizes.decoder_head_dim, row_channels);
  decoder.w_k = draw_linear(sizes.decoder_heads * sizes.decoder_head_dim, row_channels);
}

std::span<const float> ModelWeights::draw(std::int64_t count, double deviation) {
  std::vector<float>& values = memory_.emplace_back(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(deviation * static_cast<double>(random_.normal()));
  return values;
}

// Outputs have the variance of the inputs.
Linear ModelWeights::draw_linear(std::int64_t outputs, std::int64_t inputs) {
  return linear(draw(outputs * inputs, 1.0 / std::sqrt(static_cast<double>(inputs))).data(), outputs, inputs);
}

AttentionWeights ModelWeights::draw_attention(std::int64_t channels, std::int64_t heads) {
  AttentionWeights weights;
  weights.module.q_heads = weights.module.kv_heads = heads;
  weights.module.w_q = draw_linear(channels, channels);
  weights.module.w_k = draw_linear(channels, channels);
  weights.module.w_v = draw_linear(channels, channels);
  weights.module.w_o = draw_linear(channels, channels);
  return weights;
}

ScalingMlp ModelWeights::draw_mlp(std::int64_t outputs, std::int64_t inputs, float bias) {
  const std::int64_t hidden = sizes_.hidden;
  const std::span<const float> w1 = draw(hidden * inputs, 1.0 / std::sqrt(static_cast<double>(inputs)));
  const std::span<const float> w2 = draw(outputs * hidden, 0.1 / std::sqrt(static_cast<double>(hidden)));
  std::vector<float>& biases = memory_.emplace_back(static_cast<std::size_t>(outputs), bias);
  return {w1, draw(hidden, 0.1), w2, biases};
}

// A base near 1 and a gate near 1: weights neither vanish nor saturate.
QueryScaling ModelWeights::draw_scaling(std::int64_t channels, std::int64_t heads) {
  return qassmax(draw_mlp(channels, 1, 1.0f), draw_mlp(channels / heads, channels / heads, 0.0f));
}

}  // namespace heed::perf
