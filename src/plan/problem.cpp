// SPDX-License-Identifier: Apache-2.0
// Fills defaults and drops user types. The arguments have been validated.
#include "plan/problem.hpp"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// The stride of a size-1 dimension is never multiplied by anything but 0, whatever the caller left in it;
// a tensor without elements, which may have a null pointer, has no strides at all.
Dims canonical(const Dims& shape, const Dims& strides) {
  Dims result{};
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return result;
  for (std::size_t d = 0; d < 4; ++d) result[d] = shape[d] == 1 ? 0 : strides[d];
  return result;
}

Visibility make_visibility(const Options& options, std::int64_t q_len, std::int64_t kv_len) {
  Visibility visibility;
  visibility.kv_len = kv_len;
  visibility.causal = options.causal;
  visibility.window_left = options.window.left;
  visibility.window_right = options.window.right;
  const Position position = options.position.value_or(Position::top_left());
  switch (position.kind) {
    case Position::Kind::top_left: break;
    case Position::Kind::bottom_right: visibility.offset = kv_len - q_len; break;
    case Position::Kind::offset: visibility.offset = position.value; break;
    case Position::Kind::per_batch: visibility.offsets = position.values.data(); break;
  }
  if (!options.lengths.empty()) visibility.lengths = options.lengths.data();
  if (options.key_mask) {
    const KeyMask& key_mask = *options.key_mask;
    visibility.key_mask = key_mask.data;
    visibility.key_mask_batch = key_mask.shape[0] == 1 ? 0 : key_mask.strides[0];
    visibility.key_mask_key = key_mask.shape[1] == 1 ? 0 : key_mask.strides[1];
    visibility.key_mask_true_is_allowed = key_mask.true_is_allowed;
  }
  if (options.mask) {
    visibility.mask = options.mask->data;
    visibility.mask_strides = canonical(options.mask->shape, options.mask->strides);
    visibility.mask_true_is_allowed = options.mask->true_is_allowed;
  }
  return visibility;
}

}  // namespace

View<const float> input_view(const ConstTensor& tensor) {
  return {static_cast<const float*>(tensor.data), canonical(tensor.shape, tensor.strides)};
}
View<float> output_view(const Tensor& tensor) {
  return {static_cast<float*>(tensor.data), canonical(tensor.shape, tensor.strides)};
}

Problem with_scaled_query(const Problem& problem, const float* scaled) {
  Problem result = problem;
  if (!problem.scaling.is_given) return result;
  const Dims shape = {problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  result.q = {scaled, canonical(shape, bhnd_strides(problem.q_heads, problem.q_len, problem.head_dim))};
  result.scaling = {};
  return result;
}

Problem make_problem(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                     const Options& options) {
  Problem problem;
  problem.batch = q.shape[0];
  problem.q_heads = q.shape[1];
  problem.q_len = q.shape[2];
  problem.head_dim = q.shape[3];
  problem.kv_heads = k.shape[1];
  problem.kv_len = k.shape[2];
  problem.value_dim = v.shape[3];
  problem.group = problem.kv_heads > 0 ? problem.q_heads / problem.kv_heads : 0;
  problem.q = input_view(q);
  problem.k = input_view(k);
  problem.v = input_view(v);
  problem.out = output_view(out);
  if (options.bias) problem.bias = input_view(*options.bias);
  problem.wants_lse = options.lse.has_value();
  problem.wants_weights = options.weights.has_value();
  if (options.lse) problem.lse = output_view(*options.lse);
  if (options.weights) problem.weights = output_view(*options.weights);
  problem.scale = options.scale.value_or(1.0f / std::sqrt(static_cast<float>(problem.head_dim)));
  problem.soft_cap = options.soft_cap;
  if (!options.slopes.empty()) problem.slopes = options.slopes.data();
  if (!options.sinks.empty()) problem.sinks = options.sinks.data();
  if (options.query_scaling) problem.scaling = make_scaling(*options.query_scaling, q.shape, problem.kv_len);
  problem.visibility = make_visibility(options, problem.q_len, problem.kv_len);
  return problem;
}

Problem make_class_problem(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                           const Options& options) {
  const ConstTensor no_v = {nullptr, {k.shape[0], k.shape[1], k.shape[2], out.shape[3]}, {0, 0, 0, 1}};
  Problem problem = make_problem(q, k, no_v, out, options);
  problem.has_classes = true;
  problem.classes = classes.data;
  problem.class_batch = classes.shape[0] == 1 ? 0 : classes.strides[0];
  problem.class_key = classes.shape[1] == 1 ? 0 : classes.strides[1];
  return problem;
}

}  // namespace heed
