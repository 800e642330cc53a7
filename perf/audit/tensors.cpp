// SPDX-License-Identifier: Apache-2.0
// Reads tensors and expected answers, and places their axes.
#include "audit/tensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "audit/error.hpp"

namespace heed::audit {
namespace {

void require_float(const NpyArray& array, const std::string& name) {
  if (array.type != NpyType::float32 && array.type != NpyType::float64)
    throw Error(name + ": dtype is " + std::string(type_name(array.type)) + ", expected float32 or float64");
}

Dims logical(const std::vector<std::int64_t>& shape, Layout layout) {
  if (layout == Layout::bnhd) return {shape[0], shape[2], shape[1], shape[3]};
  return {shape[0], shape[1], shape[2], shape[3]};
}

[[noreturn]] void refuse_shape(const std::string& name, const NpyArray& array, const std::string& wanted) {
  throw Error(name + ": shape is " + shape_text(array.shape) + ", expected " + wanted);
}

std::vector<double> to_double(const NpyArray& array) {
  if (array.type == NpyType::float64) {
    const auto values = array.elements<double>();
    return {values.begin(), values.end()};
  }
  const auto values = array.elements<float>();
  return {values.begin(), values.end()};
}

Expected expected(const NpyArray& array, const Storage& storage, const Dims& shape) {
  return {to_double(array), shape, storage.strides(shape[1], shape[2], shape[3])};
}

}  // namespace

Dims Storage::strides(std::int64_t heads, std::int64_t tokens, std::int64_t channels) const {
  return layout == Layout::bhnd ? bhnd_strides(heads, tokens, channels) : bnhd_strides(heads, tokens, channels);
}

std::vector<std::int64_t> Storage::file_shape(const Dims& shape) const {
  if (rank == 3) return {shape[0], shape[2], shape[1] * shape[3]};
  if (layout == Layout::bnhd) return {shape[0], shape[2], shape[1], shape[3]};
  return {shape.begin(), shape.end()};
}

ConstTensor TensorFile::view() const {
  return {array.bytes.data(), shape, storage.strides(shape[1], shape[2], shape[3])};
}

NpyArray read_float32(const FileArgument& file, std::vector<std::string>& notes) {
  NpyArray array = read_npy(file.path, file.name());
  require_float(array, file.name());
  if (array.type == NpyType::float32) return array;
  const auto values = array.elements<double>();
  NpyArray rounded{NpyType::float32, array.shape, std::vector<std::byte>(values.size() * sizeof(float))};
  std::size_t overflowed = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = static_cast<float>(values[i]);
    overflowed += std::isinf(value) && std::isfinite(values[i]);
    std::memcpy(rounded.bytes.data() + i * sizeof(float), &value, sizeof(float));
  }
  std::string note = file.name() + ": float64, rounded to float32";
  if (overflowed > 0) note += "; " + std::to_string(overflowed) + " values became infinite";
  notes.push_back(note);
  return rounded;
}

TensorFile read_tensor(const FileArgument& file, Layout layout_of_4d, const Heads& heads,
                       std::vector<std::string>& notes) {
  TensorFile tensor{read_float32(file, notes), {}, {}};
  const std::vector<std::int64_t>& shape = tensor.array.shape;
  if (shape.size() == 4) {
    tensor.storage = {layout_of_4d, 4};
    tensor.shape = logical(shape, layout_of_4d);
    if (heads.said && *heads.said != tensor.shape[1])
      refuse_shape(file.name(), tensor.array, std::to_string(*heads.said) + " heads (" + heads.option + ")");
    return tensor;
  }
  if (shape.size() != 3) refuse_shape(file.name(), tensor.array, "4 dimensions, or 3: [B, N, H*D]");
  if (!heads.said && !heads.assumed)
    throw Error(file.name() + ": shape " + shape_text(shape) + " is [B, N, H*D]: " + heads.option + " is missing");
  const std::int64_t count = heads.said ? *heads.said : *heads.assumed;
  if (shape[2] % count != 0)
    refuse_shape(file.name(), tensor.array,
                 "a last dimension that is a multiple of the " + std::to_string(count) + " heads");
  tensor.storage = {Layout::bnhd, 3};
  tensor.shape = {shape[0], count, shape[1], shape[2] / count};
  return tensor;
}

Expected read_expected_out(const FileArgument& file, Layout layout_of_4d, const Dims& shape) {
  const NpyArray array = read_npy(file.path, file.name());
  require_float(array, file.name());
  for (const Storage& storage : {Storage{layout_of_4d, 4}, Storage{Layout::bnhd, 3}})
    if (array.shape == storage.file_shape(shape)) return expected(array, storage, shape);
  refuse_shape(file.name(), array,
               shape_text(Storage{layout_of_4d, 4}.file_shape(shape)) + " or " +
                   shape_text(Storage{Layout::bnhd, 3}.file_shape(shape)));
}

Expected read_expected_lse(const FileArgument& file, Layout layout_of_4d, const Storage& storage, const Dims& shape) {
  const NpyArray array = read_npy(file.path, file.name());
  require_float(array, file.name());
  const Storage heads_first{Layout::bhnd, 4}, tokens_first{Layout::bnhd, 3}, four{layout_of_4d, 4};
  const std::vector<std::int64_t> by_head = {shape[0], shape[1], shape[2]};
  const bool fits_heads_first = array.shape == by_head;
  const bool fits_tokens_first = storage.layout == Layout::bnhd && array.shape == tokens_first.file_shape(shape);
  if (fits_heads_first && fits_tokens_first && shape[1] != 1 && shape[2] != 1)
    throw Error(file.name() + ": shape " + shape_text(array.shape) +
                " is ambiguous: [B, H, N_q] or [B, N_q, H]? Save it 4-D, as " + shape_text(four.file_shape(shape)));
  if (fits_heads_first) return expected(array, heads_first, shape);
  if (fits_tokens_first) return expected(array, tokens_first, shape);
  if (array.shape == four.file_shape(shape)) return expected(array, four, shape);
  refuse_shape(file.name(), array, shape_text(by_head) + ", as [B, H, N_q], or as --lse writes it");
}

}  // namespace heed::audit
