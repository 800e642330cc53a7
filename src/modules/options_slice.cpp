// SPDX-License-Identifier: Apache-2.0
// Every field of Options that has a batch dimension. The structured binding breaks the build when a field is added.
#include "modules/options_slice.hpp"

namespace heed {
namespace {

template <class AnyTensor>
AnyTensor items(const AnyTensor& tensor, const BatchRange& range) {
  AnyTensor result = tensor;
  if (tensor.shape[0] <= 1) return result;
  result.shape[0] = range.count;
  if (tensor.data != nullptr)
    result.data = const_cast<float*>(static_cast<const float*>(tensor.data)) + range.begin * tensor.strides[0];
  return result;
}

template <class AnyMask>
AnyMask mask_items(const AnyMask& mask, const BatchRange& range) {
  AnyMask result = mask;
  if (mask.shape[0] <= 1) return result;
  result.shape[0] = range.count;
  if (mask.data != nullptr) result.data += range.begin * mask.strides[0];
  return result;
}

}  // namespace

ConstTensor items_of(const ConstTensor& tensor, const BatchRange& range) { return items(tensor, range); }
Tensor items_of(const Tensor& tensor, const BatchRange& range) { return items(tensor, range); }

Options options_for(const Options& options, const BatchRange& range, std::int64_t batch, std::int64_t q_len) {
  Options result = options;
  auto& [scale, soft_cap, bias, slopes, sinks, key_mask, lengths, mask, position, causal, window, query_scaling, lse,
         weights, threads, path, isa, scratch] = result;
  if (bias) bias = items_of(*bias, range);
  if (key_mask) key_mask = mask_items(*key_mask, range);
  lengths = values_for(lengths, range, batch, 1);
  if (mask) mask = mask_items(*mask, range);
  if (position) position->values = values_for(position->values, range, batch, 1);
  if (query_scaling) {
    auto& counts = query_scaling->key_counts.values;
    counts = values_for(counts, range, batch, static_cast<std::int64_t>(counts.size()) == batch ? 1 : q_len);
  }
  if (lse) lse = items_of(*lse, range);
  if (weights) weights = items_of(*weights, range);
  return result;
}

}  // namespace heed
