// SPDX-License-Identifier: Apache-2.0
// Counts visible pairs from the options alone, on its own: a second opinion beside the library's.
#include "cost.hpp"

#include <algorithm>
#include <limits>

namespace heed::perf {
namespace {

// Positions are the user's and may lie anywhere: sums stop at the ends.
std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

struct Keys {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return std::max<std::int64_t>(end - begin, 0); }
};

// What lengths, causal and window leave to a row.
Keys keys_of(const Workload& workload, std::int64_t b, std::int64_t i) {
  const Options& options = workload.options;
  const std::int64_t p = position_of(workload, b, i);
  Keys keys{0, workload.spec.kv_len};
  if (!options.lengths.empty()) keys.end = std::min(keys.end, options.lengths[static_cast<std::size_t>(b)]);
  if (options.causal) keys.end = std::min(keys.end, saturating_add(p, 1));
  const auto [left, right] = options.window;
  if (right >= 0) keys.end = std::min(keys.end, saturating_add(saturating_add(p, right), 1));
  if (left >= 0) keys.begin = std::max(keys.begin, saturating_add(p, -left));
  return keys;
}

// Where a cell of a tensor with dimensions of 1 or full size lies.
std::int64_t cell_of(const Dims& shape, const Dims& strides, const Dims& place) {
  std::int64_t cell = 0;
  for (std::size_t d = 0; d < 4; ++d) cell += shape[d] == 1 ? 0 : place[d] * strides[d];
  return cell;
}

// What key_mask, mask and bias say about a key.
bool cells_allow(const Workload& workload, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const Options& options = workload.options;
  if (options.key_mask) {
    const KeyMask& mask = *options.key_mask;
    const std::int64_t cell = (mask.shape[0] == 1 ? 0 : b * mask.strides[0]) + j * mask.strides[1];
    if ((mask.data[cell] != 0) != mask.true_is_allowed) return false;
  }
  if (options.mask) {
    const Mask& mask = *options.mask;
    if ((mask.data[cell_of(mask.shape, mask.strides, {b, h, i, j})] != 0) != mask.true_is_allowed) return false;
  }
  if (!options.bias) return true;
  const ConstTensor& bias = *options.bias;
  const float added = static_cast<const float*>(bias.data)[cell_of(bias.shape, bias.strides, {b, h, i, j})];
  return added != -std::numeric_limits<float>::infinity();
}

double distinct_elements(const Tensor& tensor) {
  double elements = 1.0;
  for (std::size_t d = 0; d < 4; ++d)
    elements *= tensor.strides[d] == 0 ? static_cast<double>(std::min<std::int64_t>(tensor.shape[d], 1))
                                       : static_cast<double>(tensor.shape[d]);
  return tensor.data == nullptr ? 0.0 : elements;
}

double count_pairs(const Workload& workload) {
  const Options& options = workload.options;
  const Spec& spec = workload.spec;
  const bool has_cells = options.key_mask || options.mask || options.bias;
  // Heads that share every mask see the same keys.
  const bool heads_differ =
      (options.mask && options.mask->shape[1] > 1) || (options.bias && options.bias->shape[1] > 1);
  const std::int64_t heads = heads_differ ? spec.q_heads : std::min<std::int64_t>(spec.q_heads, 1);
  std::int64_t pairs = 0;
  for (std::int64_t b = 0; b < spec.batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < spec.q_len; ++i) {
        const Keys keys = keys_of(workload, b, i);
        if (!has_cells) {
          pairs += keys.count();
          continue;
        }
        for (std::int64_t j = keys.begin; j < keys.end; ++j) pairs += cells_allow(workload, b, h, i, j) ? 1 : 0;
      }
  return static_cast<double>(pairs) * (heads_differ ? 1.0 : static_cast<double>(spec.q_heads));
}

}  // namespace

std::int64_t position_of(const Workload& workload, std::int64_t b, std::int64_t i) {
  const Position position = workload.options.position.value_or(Position::top_left());
  switch (position.kind) {
    case Position::Kind::bottom_right: return saturating_add(i, workload.spec.kv_len - workload.spec.q_len);
    case Position::Kind::offset: return saturating_add(i, position.value);
    case Position::Kind::per_batch: return saturating_add(i, position.values[static_cast<std::size_t>(b)]);
    default: return i;
  }
}

bool is_visible(const Workload& workload, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const Keys keys = keys_of(workload, b, i);
  return j >= keys.begin && j < keys.end && cells_allow(workload, b, h, i, j);
}

Cost cost_of(const Workload& workload) {
  Cost cost;
  const Spec& spec = workload.spec;
  cost.visible_pairs = count_pairs(workload);
  cost.flops = 2.0 * cost.visible_pairs * static_cast<double>(spec.head_dim + spec.value_dim);
  cost.read_bytes = sizeof(float) * (distinct_elements(workload.q) + distinct_elements(workload.k) +
                                     distinct_elements(workload.v) + distinct_elements(workload.bias)) +
                    static_cast<double>(workload.mask_cells.size() + workload.key_mask_cells.size());
  cost.written_bytes = sizeof(float) * (distinct_elements(workload.out) + distinct_elements(workload.lse) +
                                        distinct_elements(workload.weights));
  return cost;
}

}  // namespace heed::perf
