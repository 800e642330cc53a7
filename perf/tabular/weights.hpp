// SPDX-License-Identifier: Apache-2.0
// The weights of a tabular model, drawn by a seed: they route, mask and cost like trained ones, and know nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "heed/multi_head.hpp"
#include "heed/query_scaling.hpp"
#include "random_numbers.hpp"

namespace heed::perf {

// Of the stages of TabPFN-3 and TabICLv2, at their sizes.
struct ModelSizes {
  std::int64_t cell_channels = 128, cell_heads = 8;  // column and row stage: head_dim 16
  std::int64_t points = 128;                         // inducing points of a column
  std::int64_t readers = 4;                          // tokens that read a row
  std::int64_t row_heads = 8;                        // context stage: head_dim 64
  std::int64_t test_kv_heads = 1;
  std::int64_t decoder_heads = 6, decoder_head_dim = 64;
  std::int64_t hidden = 64;  // of the query scaling's layers
  std::int64_t blocks = 1;   // of each stage
  std::int64_t row_channels() const { return readers * cell_channels; }
};

// Norms have weights of 1.
struct AttentionWeights {
  MultiHeadAttention module;
  QueryScaling scaling;  // empty: none
};
struct ColumnWeights {
  std::span<const float> points;  // [points][cell_channels]
  AttentionWeights induce, spread;
};

class ModelWeights {
 public:
  ModelWeights(const ModelSizes& sizes, std::int64_t classes, std::uint64_t seed);
  ModelWeights(const ModelWeights&) = delete;
  ModelWeights& operator=(const ModelWeights&) = delete;

  const ModelSizes& sizes() const { return sizes_; }
  Linear cell;                     // three features of a row to a cell's channels
  std::span<const float> readers;  // [readers][cell_channels]
  std::span<const float> classes;  // [classes][row_channels], added to train rows
  std::vector<ColumnWeights> columns;
  std::vector<AttentionWeights> rows;
  AttentionWeights read_out;
  std::vector<AttentionWeights> context;
  MultiHeadAttention decoder;  // queries and keys only

 private:
  std::span<const float> draw(std::int64_t count, double deviation);
  Linear draw_linear(std::int64_t outputs, std::int64_t inputs);
  AttentionWeights draw_attention(std::int64_t channels, std::int64_t heads);
  ScalingMlp draw_mlp(std::int64_t outputs, std::int64_t inputs, float bias);
  QueryScaling draw_scaling(std::int64_t channels, std::int64_t heads);

  ModelSizes sizes_;
  Random random_;
  std::deque<std::vector<float>> memory_;  // what the members view
};

}  // namespace heed::perf
