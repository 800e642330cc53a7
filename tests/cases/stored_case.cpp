// SPDX-License-Identifier: Apache-2.0
#include "cases/stored_case.hpp"

#include <limits>

#include "support/oracle.hpp"

namespace heed::tests {
namespace {

GuardedTensor store(const Values<float>& values, Storage storage, std::int64_t token_step = 1) {
  Dims strides = strides_of(storage, {values.shape[0], values.shape[1], values.shape[2] * token_step, values.shape[3]});
  strides[2] *= token_step;
  GuardedTensor tensor(values.shape, strides);
  tensor.assign(values.data);
  return tensor;
}

template <class T>
GuardedBuffer<T> store(const std::vector<T>& values) {
  GuardedBuffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

// Columns [begin, end) of a contiguous mask or bias. One that broadcasts along the keys stays as it is,
// and so does one that is narrower than the range: that is for the call to refuse.
template <class Cells, class T>
Cells columns(const Dims& shape, KeyRange keys, std::int64_t all_keys, const T* data) {
  Cells cells{};
  cells.shape = shape;
  cells.strides = bhnd_strides(shape[1], shape[2], shape[3]);
  cells.data = data;
  if (shape[3] == all_keys && all_keys != 1 && keys.end <= all_keys) {
    cells.data = data + keys.begin;
    cells.shape[3] = keys.size();
  }
  return cells;
}

ConstTensor tokens(const GuardedTensor& tensor, KeyRange keys) {
  ConstTensor part = tensor.tensor();
  part.data = static_cast<const float*>(part.data) + keys.begin * part.strides[2];
  part.shape[2] = keys.size();
  return part;
}

ScalingMlp mlp(const CaseMlp& mlp) { return {mlp.w1, mlp.b1, mlp.w2, mlp.b2}; }

}  // namespace

QueryScaling query_scaling(const CaseScaling& scaling) {
  return {scaling.factors, mlp(scaling.base), mlp(scaling.gate), {scaling.key_count, {}}};
}

StoredCase::StoredCase(const Case& the_case, Storage storage)
    : case_(the_case),
      q_(store(the_case.q, storage)),
      k_(store(the_case.k, storage, the_case.k_token_step)),
      v_(store(the_case.v, storage, the_case.v_token_step)) {
  if (case_.bias) bias_ = store(case_.bias->data);
  if (case_.mask) mask_ = store(case_.mask->cells.data);
  if (case_.key_mask) key_mask_ = store(case_.key_mask->cells.data);
}

void StoredCase::prepare(KeyRange keys, CaseCall& call) const {
  call.q = q_.tensor();
  if (case_.q_is_shared) call.q.strides[0] = 0;
  call.k = tokens(k_, keys);
  call.v = tokens(v_, keys);
  if (case_.v_is_shared) call.v.strides[1] = 0;
  if (!case_.classes.empty())
    call.classes = {case_.classes.data() + keys.begin, {case_.batch(), keys.size()}, {case_.kv_len, 1}};
  Options& options = call.options;
  options.scale = case_.scale;
  options.soft_cap = case_.soft_cap;
  if (case_.scaling) options.query_scaling = query_scaling(*case_.scaling);
  options.slopes = case_.slopes;
  if (keys.begin == 0) options.sinks = case_.sinks;  // the parts of a row share one sink
  options.causal = case_.causal;
  options.window = case_.window;
  const std::int64_t all_keys = case_.kv_len;
  if (case_.bias) options.bias = columns<ConstTensor>(case_.bias->shape, keys, all_keys, bias_.data());
  if (case_.mask) {
    options.mask = columns<Mask>(case_.mask->cells.shape, keys, all_keys, mask_.data());
    options.mask->true_is_allowed = case_.mask->true_is_allowed;
  }
  if (case_.key_mask) {
    const Dims& shape = case_.key_mask->cells.shape;
    options.key_mask =
        KeyMask{key_mask_.data() + keys.begin, {shape[0], keys.size()}, {shape[1], 1}, case_.key_mask->true_is_allowed};
  }
  for (const std::int64_t length : case_.lengths)
    call.lengths.push_back(std::clamp<std::int64_t>(length - keys.begin, 0, keys.size()));
  options.lengths = call.lengths;
  if (!case_.position) return;
  const std::int64_t all = *case_.position == Position::Kind::bottom_right ? all_keys - case_.q_len() : 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(case_.batch()); ++b)
    call.offsets.push_back((case_.offsets.empty() ? all : case_.offsets[b]) - keys.begin);
  options.position = Position::offsets(call.offsets);
  if (keys.size() == all_keys && case_.offsets.empty()) options.position = Position{*case_.position, 0, {}};
}

std::int64_t StoredCase::poison_hidden_keys() {
  CaseCall call;
  prepare({0, case_.kv_len}, call);
  const Oracle oracle(call.q, call.k, call.v, call.options);
  const std::int64_t group = case_.k.shape[1] == 0 ? 0 : case_.q_heads() / case_.k.shape[1];
  std::int64_t hidden = 0;
  for_each_element({case_.batch(), case_.k.shape[1], case_.kv_len, 1}, [&](auto b, auto kv, auto j, auto) {
    for (std::int64_t row = 0; row < group * case_.q_len(); ++row)
      if (oracle.is_visible(b, kv * group + row % group, row / group, j)) return;
    ++hidden;
    for (std::int64_t c = 0; c < k_.shape()[3]; ++c) k_.at(b, kv, j, c) = std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t c = 0; c < v_.shape()[3]; ++c) v_.at(b, kv, j, c) = std::numeric_limits<float>::quiet_NaN();
  });
  return hidden;
}

}  // namespace heed::tests
