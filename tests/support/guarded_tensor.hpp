// SPDX-License-Identifier: Apache-2.0
// A float tensor of any strides in guarded memory. Elements that the strides skip stay NaN, and a
// test can ask whether they, and the rest of the page, were left alone.
#pragma once

#include <cstdlib>
#include <vector>

#include "heed/attention.hpp"
#include "support/guarded_buffer.hpp"

namespace heed::tests {

inline std::int64_t element_count(const Dims& shape) { return shape[0] * shape[1] * shape[2] * shape[3]; }

// Calls body(b, h, n, c) for every element, in C order.
template <class Body>
void for_each_element(const Dims& shape, const Body& body) {
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t n = 0; n < shape[2]; ++n)
        for (std::int64_t c = 0; c < shape[3]; ++c) body(b, h, n, c);
}

enum class Storage { bhnd, bnhd };

inline Dims strides_of(Storage storage, const Dims& shape) {
  return storage == Storage::bhnd ? bhnd_strides(shape[1], shape[2], shape[3])
                                  : bnhd_strides(shape[1], shape[2], shape[3]);
}

class GuardedTensor {
 public:
  GuardedTensor() = default;
  GuardedTensor(const Dims& shape, const Dims& strides, Edge edge = Edge::end) : shape_(shape), strides_(strides) {
    std::int64_t below = 0, above = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      const std::int64_t reach = shape[d] > 1 ? (shape[d] - 1) * strides[d] : 0;
      (reach < 0 ? below : above) += reach;
    }
    origin_ = -below;
    buffer_ = GuardedBuffer<float>(element_count(shape) == 0 ? 0 : static_cast<std::size_t>(above - below + 1), edge);
  }
  GuardedTensor(const Dims& shape, Storage storage, Edge edge = Edge::end)
      : GuardedTensor(shape, strides_of(storage, shape), edge) {}

  const Dims& shape() const { return shape_; }
  Tensor tensor() const { return {buffer_.data() + origin_, shape_, strides_}; }
  std::span<float> memory() const { return buffer_.values(); }

  float& at(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) const {
    return buffer_[offset(b, h, n, c)];
  }
  // From C order of the shape; strides of 0 keep the last one written.
  void assign(std::span<const float> values) const {
    std::size_t next = 0;
    for_each_element(shape_, [&](auto... index) { at(index...) = values[next++]; });
  }
  std::vector<float> values() const {
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(element_count(shape_)));
    for_each_element(shape_, [&](auto... index) { result.push_back(at(index...)); });
    return result;
  }

  bool is_outside_untouched() const {
    std::vector<bool> is_element(buffer_.size(), false);
    for_each_element(shape_, [&](auto... index) { is_element[offset(index...)] = true; });
    for (std::size_t n = 0; n < buffer_.size(); ++n) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &buffer_[n], sizeof bits);
      if (!is_element[n] && bits != 0xFFFFFFFFu) return false;
    }
    return buffer_.is_slack_untouched();
  }

 private:
  std::size_t offset(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) const {
    const std::array<std::int64_t, 4> index = {b, h, n, c};
    std::int64_t offset = origin_;
    for (std::size_t d = 0; d < 4; ++d)
      if (shape_[d] > 1) offset += index[d] * strides_[d];
    return static_cast<std::size_t>(offset);
  }

  Dims shape_{};
  Dims strides_{};
  std::int64_t origin_ = 0;
  GuardedBuffer<float> buffer_;
};

}  // namespace heed::tests
