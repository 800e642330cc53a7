// SPDX-License-Identifier: Apache-2.0
// What must hold of a model that reads train rows in context, whatever its weights are.
#pragma once

#include <string>
#include <vector>

#include "tabular/forward.hpp"

namespace heed::perf {

struct TabularCheck {
  std::string what, found;
  bool holds = false;
};

// Runs the model again: without test rows, with test rows in another order, and with train rows in another order.
std::vector<TabularCheck> check_rows(const ModelWeights& weights, const DataTable& table, std::int64_t train_rows,
                                     const Prediction& prediction, Path path, int threads);

}  // namespace heed::perf
