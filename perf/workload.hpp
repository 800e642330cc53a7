// SPDX-License-Identifier: Apache-2.0
// The tensors and options of a spec, filled from its seed. Values depend on seed and logical place
// only: the same call in another storage order holds the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/attention.hpp"
#include "spec.hpp"

namespace heed::perf {

// Memory that starts on a cache line and nowhere near the others modulo 4 KiB, where loads and stores
// of two tensors would wait for each other.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::size_t bytes, std::size_t skew_bytes);  // throws std::bad_alloc
  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

// Everything that heed::attention(q, k, v, out, options) needs; threads, path, ISA and scratch of
// `options` are left to the caller. Moves, never copies. Sizes are not checked against each other:
// that is the library's work.
struct Workload {
  // Throws std::length_error where the tensors are larger than 64 bits or this machine's memory allow,
  // and std::bad_alloc.
  explicit Workload(const Spec& spec);

  Spec spec;
  Tensor q, k, v, out;
  Tensor lse, weights;  // null data when not asked for
  Tensor bias;
  Options options;

  std::vector<std::uint8_t> mask_cells, key_mask_cells;
  std::vector<float> slopes, sinks;
  std::vector<std::int64_t> lengths, offsets;

  void poison_outputs();  // NaN into every byte of out, lse and weights

  // Where tensors and masks lie: what a call reads and writes, but for lists by head and by batch item.
  std::vector<std::span<const std::byte>> memory() const;

 private:
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> output_buffers_;

  Tensor allocate(const char* name, const Dims& shape, const Dims& strides, bool is_output);
  void make_bias();
  void make_masks();
  void make_heads_and_positions();
};

}  // namespace heed::perf
