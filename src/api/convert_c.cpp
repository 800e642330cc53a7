// SPDX-License-Identifier: Apache-2.0
// Field by field. The assertions say where the two APIs have to change together.
#include "api/convert_c.hpp"

#include <cinttypes>
#include <utility>

namespace heed {
namespace {

constexpr bool same(StatusCode a, heed_status b) { return static_cast<int>(a) == static_cast<int>(b); }
constexpr bool same(DType a, heed_dtype b) { return static_cast<int>(a) == static_cast<int>(b); }
constexpr bool same(Path a, heed_path b) { return static_cast<int>(a) == static_cast<int>(b); }
constexpr bool same(Position::Kind a, heed_position_kind b) { return static_cast<int>(a) == static_cast<int>(b); }

static_assert(same(StatusCode::ok, HEED_OK) && same(StatusCode::null_data, HEED_NULL_DATA) &&
                  same(StatusCode::bad_size, HEED_BAD_SIZE) && same(StatusCode::size_overflow, HEED_SIZE_OVERFLOW) &&
                  same(StatusCode::shape_mismatch, HEED_SHAPE_MISMATCH) &&
                  same(StatusCode::bad_heads, HEED_BAD_HEADS) && same(StatusCode::bad_value, HEED_BAD_VALUE) &&
                  same(StatusCode::position_missing, HEED_POSITION_MISSING) &&
                  same(StatusCode::overlap, HEED_OVERLAP) &&
                  same(StatusCode::scratch_too_small, HEED_SCRATCH_TOO_SMALL) &&
                  same(StatusCode::unknown_name, HEED_UNKNOWN_NAME) &&
                  same(StatusCode::unsupported, HEED_UNSUPPORTED) &&
                  same(StatusCode::out_of_memory, HEED_OUT_OF_MEMORY),
              "heed_status in heed/attention.h and StatusCode in heed/attention.hpp differ");
static_assert(same(DType::f32, HEED_F32) && same(DType::f16, HEED_F16) && same(DType::bf16, HEED_BF16) &&
                  same(DType::i8, HEED_I8),
              "heed_dtype in heed/attention.h and DType in heed/attention.hpp differ");
static_assert(same(Path::automatic, HEED_PATH_AUTOMATIC) && same(Path::streaming, HEED_PATH_STREAMING) &&
                  same(Path::onednn, HEED_PATH_ONEDNN) && same(Path::reference, HEED_PATH_REFERENCE),
              "heed_path in heed/attention.h and Path in heed/attention.hpp differ");
static_assert(same(Position::Kind::top_left, HEED_TOP_LEFT) && same(Position::Kind::bottom_right, HEED_BOTTOM_RIGHT) &&
                  same(Position::Kind::offset, HEED_OFFSET) && same(Position::Kind::per_batch, HEED_PER_BATCH),
              "heed_position_kind in heed/attention.h and Position::Kind in heed/attention.hpp differ");
static_assert(sizeof(Status) >= HEED_MESSAGE_SIZE, "HEED_MESSAGE_SIZE in heed/attention.h holds every message");

Dims dims(const std::int64_t (&values)[4]) { return {values[0], values[1], values[2], values[3]}; }

Position convert(const heed_position& position) {
  return {static_cast<Position::Kind>(position.kind), position.value, list(position.values, position.values_count)};
}

Status check_polarity(const char* name, std::int32_t polarity) {
  if (polarity == HEED_BLOCKED || polarity == HEED_ALLOWED) return {};
  return make_status(StatusCode::bad_value,
                     "%s: polarity is %" PRId32 ", expected 1 (HEED_BLOCKED) or 2 (HEED_ALLOWED)", name, polarity);
}

}  // namespace

Status need_structs(std::initializer_list<std::pair<const char*, const void*>> pointers) {
  for (const auto& [name, pointer] : pointers)
    if (pointer == nullptr) return make_status(StatusCode::null_data, "%s: null pointer, expected a struct", name);
  return {};
}

Status convert(const heed_options* given, Options& result) {
  if (given == nullptr) return {};
  heed_options options{};
  if (Status status = read_sized("options", "heed_options_init", *given, options); !status.ok()) return status;
  if (options.scale != nullptr) result.scale = *options.scale;
  result.soft_cap = options.soft_cap;
  if (options.bias != nullptr) result.bias = heed::convert(*options.bias);
  result.slopes = list(options.slopes, options.slopes_count);
  result.sinks = list(options.sinks, options.sinks_count);
  if (options.key_mask != nullptr) {
    const heed_key_mask& mask = *options.key_mask;
    if (Status status = check_polarity("key_mask", mask.polarity); !status.ok()) return status;
    result.key_mask = {
        mask.data, {mask.shape[0], mask.shape[1]}, {mask.strides[0], mask.strides[1]}, mask.polarity == HEED_ALLOWED};
  }
  result.lengths = list(options.lengths, options.lengths_count);
  if (options.mask != nullptr) {
    const heed_mask& mask = *options.mask;
    if (Status status = check_polarity("mask", mask.polarity); !status.ok()) return status;
    result.mask = {mask.data, dims(mask.shape), dims(mask.strides), mask.polarity == HEED_ALLOWED};
  }
  if (options.position != nullptr) result.position = convert(*options.position);
  result.causal = options.causal != 0;
  if (options.window != nullptr) result.window = {options.window->left, options.window->right};
  if (options.query_scaling != nullptr)
    if (Status status = heed::convert(*options.query_scaling, result.query_scaling.emplace()); !status.ok())
      return status;
  if (options.lse != nullptr) result.lse = heed::convert(*options.lse);
  if (options.weights != nullptr) result.weights = heed::convert(*options.weights);
  result.threads = options.threads;
  result.path = static_cast<Path>(options.path);
  if (options.isa != nullptr) result.isa = options.isa;
  result.scratch = {static_cast<std::byte*>(options.scratch), options.scratch_size};
  return {};
}

namespace {

template <class CTensor, class CppTensor>
CTensor convert_tensor(const CppTensor& tensor) {
  CTensor result{tensor.data, {}, {}, static_cast<std::int32_t>(tensor.dtype)};
  std::ranges::copy(tensor.shape, result.shape);
  std::ranges::copy(tensor.strides, result.strides);
  return result;
}

std::int32_t polarity(bool true_is_allowed) { return true_is_allowed ? HEED_ALLOWED : HEED_BLOCKED; }

}  // namespace

Status convert(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
               const heed_tensor* out, const heed_options* options, Arguments& call) {
  const std::pair<const char*, const void*> pointers[] = {{"q", q}, {"k", k}, {"v", v}, {"out", out}};
  for (const auto& [name, pointer] : pointers)
    if (pointer == nullptr) return make_status(StatusCode::null_data, "%s: null pointer, expected a tensor", name);
  call = {convert(*q), convert(*k), convert(*v), convert(*out), {}};
  return convert(options, call.options);
}

Tensor convert(const heed_tensor& tensor) {
  return {tensor.data, dims(tensor.shape), dims(tensor.strides), static_cast<DType>(tensor.dtype)};
}

ConstTensor convert(const heed_const_tensor& tensor) {
  return {tensor.data, dims(tensor.shape), dims(tensor.strides), static_cast<DType>(tensor.dtype)};
}

heed_const_tensor convert(const ConstTensor& tensor) { return convert_tensor<heed_const_tensor>(tensor); }
heed_tensor convert(const Tensor& tensor) { return convert_tensor<heed_tensor>(tensor); }

heed_mask convert(const Mask& mask) {
  heed_mask result{mask.data, {}, {}, polarity(mask.true_is_allowed)};
  std::ranges::copy(mask.shape, result.shape);
  std::ranges::copy(mask.strides, result.strides);
  return result;
}

heed_key_mask convert(const KeyMask& mask) {
  return {
      mask.data, {mask.shape[0], mask.shape[1]}, {mask.strides[0], mask.strides[1]}, polarity(mask.true_is_allowed)};
}

}  // namespace heed
