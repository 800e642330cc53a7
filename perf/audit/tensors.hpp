// SPDX-License-Identifier: Apache-2.0
// From .npy arrays to tensors of a call: which axis is which, and float64 rounded to float32.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/arguments.hpp"
#include "audit/npy.hpp"

namespace heed::audit {

// How a file lays a tensor out. A 3-D file is [B, N, H*C], which is bnhd storage.
struct Storage {
  Layout layout = Layout::bhnd;
  int rank = 4;

  Dims strides(std::int64_t heads, std::int64_t tokens, std::int64_t channels) const;
  std::vector<std::int64_t> file_shape(const Dims& shape) const;
};

// A float32 tensor that owns its elements.
struct TensorFile {
  NpyArray array;
  Storage storage;
  Dims shape{};
  ConstTensor view() const;
};

// An answer to compare with: kept in double, never rounded.
struct Expected {
  std::vector<double> values;
  Dims shape{};
  Dims strides{};
};

// How many heads a file has: said by an option, or for a 3-D file where nothing was said, assumed.
struct Heads {
  const char* option;
  std::optional<std::int64_t> said;
  std::optional<std::int64_t> assumed;
};

// A note about what rounding did to the values goes to `notes`.
NpyArray read_float32(const FileArgument& file, std::vector<std::string>& notes);
TensorFile read_tensor(const FileArgument& file, Layout layout_of_4d, const Heads& heads,
                       std::vector<std::string>& notes);

// `shape` is what out or lse must be; `storage` is how q is stored.
Expected read_expected_out(const FileArgument& file, Layout layout_of_4d, const Dims& shape);
Expected read_expected_lse(const FileArgument& file, Layout layout_of_4d, const Storage& storage, const Dims& shape);

}  // namespace heed::audit
