// SPDX-License-Identifier: Apache-2.0
// Narrows tensors, masks and lists to a part of a call; nothing is copied but their descriptions.
#include "diagnostics/call_part.hpp"

#include <algorithm>

namespace heed {
namespace {

// Where a part begins in an array, and how much of it there is.
struct Range {
  Dims first;
  Dims sizes;
};

// A dimension of 1 holds for the whole call and so for the part. An array without elements has no address
// to move.
template <class Element>
const Element* narrow(const void* data, Dims& shape, const Dims& strides, const Range& range) {
  const auto* element = static_cast<const Element*>(data);
  const bool has_elements = std::ranges::find(shape, 0) == shape.end();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (has_elements) element += range.first[d] * strides[d];
    shape[d] = range.sizes[d];
  }
  return element;
}

ConstTensor narrowed(ConstTensor tensor, const Range& range) {
  tensor.data = narrow<float>(tensor.data, tensor.shape, tensor.strides, range);
  return tensor;
}

// Of rows: the last dimension, channels or keys, is there in full.
Range row_range(const Problem& problem, const Part& part, std::int64_t last_dim) {
  return {{part.batch, part.kv_head * problem.group, part.first_row, 0}, {1, problem.group, part.rows, last_dim}};
}

template <class Value>
std::span<const Value> narrowed(std::span<const Value> values, std::int64_t first, std::int64_t count) {
  return values.empty() ? values : values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

void narrow_outputs(ScalingMlp& mlp, std::int64_t first, std::int64_t count) {
  const auto hidden = static_cast<std::int64_t>(mlp.b1.size());
  mlp.w2 = narrowed(mlp.w2, first * hidden, count * hidden);
  mlp.b2 = narrowed(mlp.b2, first, count);
}

QueryScaling narrowed(QueryScaling scaling, const Problem& problem, const Part& part) {
  const std::int64_t first_head = part.kv_head * problem.group;
  const std::int64_t width = problem.scaling.width();
  scaling.factors = narrowed(scaling.factors, first_head, problem.group);
  narrow_outputs(scaling.base, first_head * width, problem.group * width);
  std::span<const std::int64_t>& counts = scaling.key_counts.values;
  counts = problem.scaling.row_step != 0 ? narrowed(counts, part.batch * problem.q_len + part.first_row, part.rows)
                                         : narrowed(counts, part.batch, 1);
  return scaling;
}

}  // namespace

ConstTensor rows_of(const ConstTensor& tensor, const Problem& problem, const Part& part) {
  return narrowed(tensor, row_range(problem, part, tensor.shape[3]));
}

Inputs part_of(const Inputs& whole, const Problem& problem, const Part& part) {
  const Range keys{{part.batch, part.kv_head, 0, 0}, {1, 1, problem.kv_len, problem.head_dim}};
  const Range values{keys.first, {1, 1, problem.kv_len, problem.value_dim}};
  const Range pairs = row_range(problem, part, problem.kv_len);
  Inputs inputs{rows_of(whole.q, problem, part), narrowed(whole.k, keys), narrowed(whole.v, values), whole.options};
  Options& options = inputs.options;
  if (options.bias) options.bias = narrowed(*options.bias, pairs);
  const std::int64_t first_head = part.kv_head * problem.group;
  options.slopes = narrowed(options.slopes, first_head, problem.group);
  options.sinks = narrowed(options.sinks, first_head, problem.group);
  options.lengths = narrowed(options.lengths, part.batch, 1);
  if (options.query_scaling) options.query_scaling = narrowed(*options.query_scaling, problem, part);
  if (options.key_mask) {
    KeyMask& mask = *options.key_mask;
    if (mask.shape[0] != 1 && mask.shape[1] != 0) mask.data += part.batch * mask.strides[0];
    mask.shape[0] = 1;
  }
  if (options.mask)
    options.mask->data = narrow<std::uint8_t>(options.mask->data, options.mask->shape, options.mask->strides, pairs);
  // The first row of the part is row 0 of its call.
  options.position = Position::offset(problem.visibility.position(part.batch, part.first_row));
  return inputs;
}

}  // namespace heed
