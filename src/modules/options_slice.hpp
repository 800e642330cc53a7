// SPDX-License-Identifier: Apache-2.0
// The options of a call over some of the batch items of another.
#pragma once

#include <cstdint>

#include "heed/attention.hpp"

namespace heed {

struct BatchRange {
  std::int64_t begin, count;
};

// Lists per batch item as they are for the range; batch: of the whole call, as q_len.
Options options_for(const Options& options, const BatchRange& range, std::int64_t batch, std::int64_t q_len);

// Items of a tensor; a broadcast tensor keeps its one item.
ConstTensor items_of(const ConstTensor& tensor, const BatchRange& range);
Tensor items_of(const Tensor& tensor, const BatchRange& range);

// Values per batch item, of equally many each; a list that is not per item stays as it is.
template <class Value>
std::span<const Value> values_for(std::span<const Value> values, const BatchRange& range, std::int64_t batch,
                                  std::int64_t per_item) {
  if (values.empty() || static_cast<std::int64_t>(values.size()) != batch * per_item) return values;
  return values.subspan(static_cast<std::size_t>(range.begin * per_item),
                        static_cast<std::size_t>(range.count * per_item));
}

}  // namespace heed
