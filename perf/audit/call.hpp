// SPDX-License-Identifier: Apache-2.0
// The files and arguments of one audit lowered to a heed call, whole or a block of rows at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/arguments.hpp"
#include "audit/tensors.hpp"
#include "heed/attention.hpp"

namespace heed::audit {

struct Sizes {
  std::int64_t batch = 0, q_heads = 0, kv_heads = 0, group = 0;
  std::int64_t q_len = 0, kv_len = 0, head_dim = 0, value_dim = 0;
  std::int64_t rows() const { return batch * q_heads * q_len; }
};

// One query row of one head.
struct RowPlace {
  std::int64_t b = 0, h = 0, i = 0;
};

// The rows [first, first + rows) of all query heads that share KV head `kv_head` in batch item `b`.
struct Block {
  std::int64_t b = 0, kv_head = 0, first = 0, rows = 0;
};

// The inputs of a call; the outputs are the caller's. Views point into the Call that made them.
struct CallView {
  ConstTensor q, k, v;
  Dims out_shape{}, lse_shape{}, weights_shape{};
  Options options;
};

class Call {
 public:
  explicit Call(const Arguments& arguments);  // throws Error
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Sizes& sizes() const { return sizes_; }
  const Storage& storage() const { return q_.storage; }  // of q, and so of the outputs
  const CallView& whole() const { return whole_; }
  CallView block(const Block& block) const;

  float scale() const { return whole_.options.scale.value_or(default_scale_); }
  std::int64_t offset() const;  // p = i + offset

  const std::optional<Expected>& expect() const { return expect_; }
  const std::optional<Expected>& expect_lse() const { return expect_lse_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read_masks(const Arguments& arguments);
  void read_bias(const FileArgument& file);
  void read_lengths(const FileArgument& file);

  std::vector<std::string> notes_;
  TensorFile q_, k_, v_;
  NpyArray key_mask_, mask_, bias_;
  std::vector<std::int64_t> lengths_;
  Sizes sizes_;
  float default_scale_ = 1.0f;
  CallView whole_;
  std::optional<Expected> expect_, expect_lse_;
};

// The library's answer to a wrong call as an Error, with the file of the argument that it names.
[[noreturn]] void refuse(const Status& status, const Arguments& arguments);

}  // namespace heed::audit
