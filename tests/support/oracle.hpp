// SPDX-License-Identifier: Apache-2.0
// The contract's formula once more, over the public types alone and in double: what a row may see,
// its answer, and the magnitude A of the error bound. The reference path is tested against it too.
#pragma once

#include <vector>

#include "heed/attention.hpp"

namespace heed::tests {

struct RowAnswer {
  std::vector<double> out;      // [value_dim]
  std::vector<double> weights;  // [kv_len]
  double lse = 0.0;
  double row_sum = 0.0;    // of the weights
  double magnitude = 0.0;  // A: largest |scale| * sum|q_c k_c| + |bias| + |slope * (p - j)| of a visible key
  double max_abs_v = 0.0;  // of visible keys
};

class Oracle {
 public:
  Oracle(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Options& options)
      : q_(q), k_(k), v_(v), options_(options) {}

  // By every rule and a bias of minus infinity; a score of minus infinity for another reason is row()'s concern.
  bool is_visible(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  RowAnswer row(std::int64_t b, std::int64_t h, std::int64_t i) const;

 private:
  struct Score {
    double value = 0.0;
    double magnitude = 0.0;
  };
  Score score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  long double position(std::int64_t b, std::int64_t i) const;
  std::int64_t kv_head(std::int64_t h) const { return h / (q_.shape[1] / k_.shape[1]); }

  ConstTensor q_, k_, v_;
  Options options_;
};

// Where [b, h, n, c] of a tensor or mask lies; dimensions of size 1 broadcast.
std::int64_t element_offset(const Dims& shape, const Dims& strides, const Dims& index);
inline const float* element_address(const ConstTensor& tensor, std::int64_t b, std::int64_t h, std::int64_t n,
                                    std::int64_t c) {
  return static_cast<const float*>(tensor.data) + element_offset(tensor.shape, tensor.strides, {b, h, n, c});
}
inline float element(const ConstTensor& tensor, std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) {
  return *element_address(tensor, b, h, n, c);
}

}  // namespace heed::tests
