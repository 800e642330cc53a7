// SPDX-License-Identifier: Apache-2.0
// Reads the files, checks what only the tool can know (ranks, dtypes), and fills the options. Sizes
// that must agree are checked by the library, with its own messages.
#include "audit/call.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "audit/error.hpp"

namespace heed::audit {
namespace {

constexpr const char* pairwise_ranks = "expected 2-D [N_q, N_k] or 4-D [B|1, H|1, N_q|1, N_k|1]";

// Whether every dimension is full or 1 is checked by the library.
Dims pairwise_shape(const NpyArray& array, const std::string& name) {
  const auto& shape = array.shape;
  if (shape.size() == 2) return {1, 1, shape[0], shape[1]};
  if (shape.size() == 4) return {shape[0], shape[1], shape[2], shape[3]};
  if (shape.size() == 3)
    throw Error(name + ": shape " + shape_text(shape) + " is ambiguous, its first dimension may be B or H; " +
                pairwise_ranks);
  throw Error(name + ": shape is " + shape_text(shape) + ", " + pairwise_ranks);
}

NpyArray read_boolean(const FileArgument& file) {
  NpyArray array = read_npy(file.path, file.name());
  const bool is_float = array.type == NpyType::float32 || array.type == NpyType::float64;
  if (array.type != NpyType::boolean && array.type != NpyType::uint8)
    throw Error(file.name() + ": dtype is " + std::string(type_name(array.type)) + ", expected bool or uint8" +
                (is_float ? " (floats that add to the score are a --bias)" : ""));
  return array;
}

const std::uint8_t* cells(const NpyArray& array) { return array.elements<std::uint8_t>().data(); }

Dims outer_block_shape(const Dims& shape, std::int64_t group, std::int64_t rows) {
  return {1, shape[1] == 1 ? 1 : group, shape[2] == 1 ? 1 : rows, shape[3]};
}

// Elements from a pairwise operand's first cell to the first of a block.
std::int64_t outer_block_start(const Dims& shape, const Dims& strides, const Dims& first) {
  std::int64_t start = 0;
  for (std::size_t d = 0; d < 3; ++d)
    if (shape[d] != 1) start += first[d] * strides[d];
  return start;
}

ConstTensor shifted(ConstTensor tensor, std::int64_t elements, const Dims& shape) {
  if (elements != 0) tensor.data = static_cast<const float*>(tensor.data) + elements;
  tensor.shape = shape;
  return tensor;
}

}  // namespace

Call::Call(const Arguments& arguments) {
  const Heads kv_heads{"--kv-heads", arguments.kv_heads, arguments.heads};
  q_ = read_tensor(arguments.q, arguments.layout, {"--heads", arguments.heads, {}}, notes_);
  k_ = read_tensor(arguments.k, arguments.layout, kv_heads, notes_);
  v_ = read_tensor(arguments.v, arguments.layout, kv_heads, notes_);
  sizes_ = {q_.shape[0], q_.shape[1], k_.shape[1], 0, q_.shape[2], k_.shape[2], q_.shape[3], v_.shape[3]};
  sizes_.group = sizes_.kv_heads > 0 ? sizes_.q_heads / sizes_.kv_heads : 0;
  default_scale_ = 1.0f / std::sqrt(static_cast<float>(sizes_.head_dim));

  whole_.q = q_.view();
  whole_.k = k_.view();
  whole_.v = v_.view();
  whole_.out_shape = {sizes_.batch, sizes_.q_heads, sizes_.q_len, sizes_.value_dim};
  whole_.lse_shape = {sizes_.batch, sizes_.q_heads, sizes_.q_len, 1};
  whole_.weights_shape = {sizes_.batch, sizes_.q_heads, sizes_.q_len, sizes_.kv_len};
  Options& options = whole_.options;
  options.scale = arguments.scale;
  options.soft_cap = arguments.soft_cap;
  options.position = arguments.position;
  options.causal = arguments.causal;
  options.window = arguments.window;
  options.threads = arguments.threads;
  options.isa = arguments.isa;
  if (arguments.bias) read_bias(arguments.bias);
  read_masks(arguments);
  if (arguments.lengths) read_lengths(arguments.lengths);
  if (arguments.expect) expect_ = read_expected_out(arguments.expect, arguments.layout, whole_.out_shape);
  if (arguments.expect_lse)
    expect_lse_ = read_expected_lse(arguments.expect_lse, arguments.layout, q_.storage, whole_.lse_shape);
}

void Call::read_bias(const FileArgument& file) {
  bias_ = read_float32(file, notes_);
  const Dims shape = pairwise_shape(bias_, file.name());
  whole_.options.bias = ConstTensor{bias_.bytes.data(), shape, bhnd_strides(shape[1], shape[2], shape[3])};
}

void Call::read_masks(const Arguments& arguments) {
  const FileArgument& key_file = arguments.key_allowed ? arguments.key_allowed : arguments.key_blocked;
  if (key_file) {
    key_mask_ = read_boolean(key_file);
    if (key_mask_.shape.size() != 2)
      throw Error(key_file.name() + ": shape is " + shape_text(key_mask_.shape) + ", expected 2-D [B, N_k]");
    const auto [batch, kv_len] = std::pair(key_mask_.shape[0], key_mask_.shape[1]);
    whole_.options.key_mask = arguments.key_allowed ? allowed_keys(cells(key_mask_), batch, kv_len)
                                                    : blocked_keys(cells(key_mask_), batch, kv_len);
  }
  const FileArgument& file = arguments.mask_allowed ? arguments.mask_allowed : arguments.mask_blocked;
  if (!file) return;
  mask_ = read_boolean(file);
  const Dims shape = pairwise_shape(mask_, file.name());
  whole_.options.mask = arguments.mask_allowed ? allowed(cells(mask_), shape) : blocked(cells(mask_), shape);
}

void Call::read_lengths(const FileArgument& file) {
  const NpyArray array = read_npy(file.path, file.name());
  if (array.type != NpyType::int32 && array.type != NpyType::int64)
    throw Error(file.name() + ": dtype is " + std::string(type_name(array.type)) + ", expected int32 or int64");
  // An empty span means "not given": the library could not see that an empty file is too short.
  if (array.shape.size() != 1 || array.shape[0] != sizes_.batch)
    throw Error(file.name() + ": shape is " + shape_text(array.shape) + ", expected [" + std::to_string(sizes_.batch) +
                "], one length per batch item");
  if (array.type == NpyType::int32) {
    const auto lengths = array.elements<std::int32_t>();
    lengths_.assign(lengths.begin(), lengths.end());
  } else {
    const auto lengths = array.elements<std::int64_t>();
    lengths_.assign(lengths.begin(), lengths.end());
  }
  whole_.options.lengths = lengths_;
}

std::int64_t Call::offset() const {
  const Position position = whole_.options.position.value_or(Position::top_left());
  if (position.kind == Position::Kind::bottom_right) return sizes_.kv_len - sizes_.q_len;
  return position.kind == Position::Kind::offset ? position.value : 0;
}

CallView Call::block(const Block& block) const {
  CallView part = whole_;
  const auto& [b, kv_head, first, rows] = block;
  const Dims start{b, kv_head * sizes_.group, first, 0};
  const auto at = [](const ConstTensor& tensor, std::int64_t item, std::int64_t head, std::int64_t token) {
    return item * tensor.strides[0] + head * tensor.strides[1] + token * tensor.strides[2];
  };
  part.q = shifted(part.q, at(part.q, b, start[1], first), {1, sizes_.group, rows, sizes_.head_dim});
  part.k = shifted(part.k, at(part.k, b, kv_head, 0), {1, 1, sizes_.kv_len, sizes_.head_dim});
  part.v = shifted(part.v, at(part.v, b, kv_head, 0), {1, 1, sizes_.kv_len, sizes_.value_dim});
  part.out_shape = {1, sizes_.group, rows, sizes_.value_dim};
  part.lse_shape = {1, sizes_.group, rows, 1};
  part.weights_shape = {1, sizes_.group, rows, sizes_.kv_len};

  Options& options = part.options;
  options.position = Position::offset(offset() + first);
  if (!options.lengths.empty()) options.lengths = options.lengths.subspan(static_cast<std::size_t>(b), 1);
  if (options.key_mask) {
    if (options.key_mask->shape[0] != 1) options.key_mask->data += b * options.key_mask->strides[0];
    options.key_mask->shape[0] = 1;
  }
  if (options.mask) {
    options.mask->data += outer_block_start(options.mask->shape, options.mask->strides, start);
    options.mask->shape = outer_block_shape(options.mask->shape, sizes_.group, rows);
  }
  if (options.bias) {
    const std::int64_t shift = outer_block_start(options.bias->shape, options.bias->strides, start);
    options.bias = shifted(*options.bias, shift, outer_block_shape(options.bias->shape, sizes_.group, rows));
  }
  return part;
}

void refuse(const Status& status, const Arguments& arguments) {
  const std::string message = status.message();
  const std::string argument = message.substr(0, message.find(':'));
  const FileArgument& key_mask = arguments.key_allowed ? arguments.key_allowed : arguments.key_blocked;
  const FileArgument& mask = arguments.mask_allowed ? arguments.mask_allowed : arguments.mask_blocked;
  const std::pair<std::string_view, const FileArgument&> files[] = {
      {"q", arguments.q},     {"k", arguments.k},
      {"v", arguments.v},     {"bias", arguments.bias},
      {"key_mask", key_mask}, {"lengths", arguments.lengths},
      {"mask", mask}};
  for (const auto& [name, file] : files)
    if (argument == name && file) throw Error(message + " (" + file.name() + ")");
  throw Error(message);
}

}  // namespace heed::audit
