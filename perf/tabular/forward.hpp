// SPDX-License-Identifier: Apache-2.0
// The attention of a tabular model on a table: cells by column, cells by row, rows in context, classes of test rows.
#pragma once

#include <vector>

#include "tabular/probe.hpp"
#include "tabular/table.hpp"
#include "tabular/weights.hpp"

namespace heed::perf {

struct Prediction {
  std::vector<float> train_rows;     // [train rows][row_channels], as the decoder reads them
  std::vector<float> probabilities;  // [test rows][classes], means over the decoder's heads
};

// The first train_rows rows have known classes; the others are to be told. There may be none of those.
Prediction predict(const ModelWeights& weights, const DataTable& table, std::int64_t train_rows, Probe& probe);

}  // namespace heed::perf
