// SPDX-License-Identifier: Apache-2.0
// The border: a validated call as plain sizes, strides and pointers. No user type below this line.
#pragma once

#include <cstdint>

#include "heed/classes.hpp"
#include "mask/mask.hpp"
#include "plan/scaling.hpp"

namespace heed {

// Where elements lie: base + b*strides[0] + h*strides[1] + n*strides[2] + c*strides[3]. Size-1
// dimensions have stride 0. A null base means that the tensor was not given.
template <class Element>
struct View {
  Element* data = nullptr;
  Dims strides{};
  explicit operator bool() const { return data != nullptr; }
  Element* row(std::int64_t b, std::int64_t h, std::int64_t n) const {
    return data + (b * strides[0] + h * strides[1] + n * strides[2]);
  }
};

View<const float> input_view(const ConstTensor& tensor);
View<float> output_view(const Tensor& tensor);

struct Problem {
  std::int64_t batch = 0, q_heads = 0, kv_heads = 0, group = 0;
  std::int64_t q_len = 0, kv_len = 0, head_dim = 0, value_dim = 0;

  View<const float> q, k, v, bias;
  bool has_classes = false;               // they stand for v, which is not there
  const std::int32_t* classes = nullptr;  // of the keys; strides follow
  std::int64_t class_batch = 0, class_key = 0;
  View<float> out, lse, weights;
  bool wants_lse = false, wants_weights = false;  // known without data pointers, for plans

  float scale = 1.0f;
  float soft_cap = 0.0f;          // 0: off
  const float* slopes = nullptr;  // [q_heads]
  const float* sinks = nullptr;   // [q_heads]
  Visibility visibility;
  Scaling scaling;  // of q, not yet done

  std::int64_t kv_head(std::int64_t h) const { return h / group; }
  const std::int32_t* classes_of(std::int64_t b) const {
    return classes == nullptr ? nullptr : classes + b * class_batch;
  }
  std::int64_t stored_value_dim() const { return has_classes ? 0 : value_dim; }  // channels of v in memory
  std::int64_t query_elements() const { return batch * q_heads * q_len * head_dim; }
  bool is_empty() const { return batch == 0 || q_heads == 0 || q_len == 0; }
};

// The same with what scaling leaves of q in its place, side by side; as it is where there is nothing to scale.
Problem with_scaled_query(const Problem& problem, const float* scaled);

Problem make_problem(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                     const Options& options);
Problem make_class_problem(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                           const Options& options);

}  // namespace heed
