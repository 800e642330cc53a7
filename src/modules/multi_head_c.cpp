// SPDX-License-Identifier: Apache-2.0
// The module for C: converts structs and calls the C++ API.
#include <cstddef>
#include <cstring>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "modules/convert_multi_head_c.hpp"

namespace heed {
namespace {

// As options_size_0_1: a longer struct gets an init function of its own.
constexpr std::size_t multi_head_size_0_1 = offsetof(heed_multi_head, rotation) + sizeof(const heed_head_rotation*);

Linear convert(const heed_linear& linear) {
  return {linear.weights,
          linear.outputs,
          linear.inputs,
          linear.output_stride,
          linear.input_stride,
          list(linear.bias, linear.bias_count),
          static_cast<const std::byte*>(linear.packed)};
}

heed_linear convert(const Linear& linear) {
  return {linear.weights,
          linear.outputs,
          linear.inputs,
          linear.output_stride,
          linear.input_stride,
          linear.bias.data(),
          static_cast<std::int64_t>(linear.bias.size()),
          linear.packed};
}

RmsNorm convert(const heed_rms_norm& norm) { return {list(norm.weights, norm.weights_count), norm.epsilon}; }

HeadRotation convert(const heed_head_rotation& rotation) {
  return {{rotation.table.cosines, rotation.table.sines, rotation.table.positions, rotation.table.width},
          static_cast<RotaryPairs>(rotation.pairs),
          rotation.first_query,
          rotation.first_key,
          list(rotation.query_positions, rotation.query_positions_count),
          list(rotation.key_positions, rotation.key_positions_count)};
}

// The arguments of either call: module, tokens x, and a context or k and v in the places of `a` and `b`.
struct Call {
  MultiHeadAttention module;
  ConstTensor x, a, b;
  Tensor out;
  Options options;
};
Status read_call(const heed_multi_head* module, const heed_const_tensor* x, const heed_const_tensor* context,
                 const heed_tensor* out, const heed_options* options, Call& call) {
  if (Status status = need_structs({{"module", module}, {"x", x}, {"context", context}, {"out", out}}); !status.ok())
    return status;
  if (Status status = convert("module", *module, call.module); !status.ok()) return status;
  call.x = heed::convert(*x);
  call.a = heed::convert(*context);
  call.out = heed::convert(*out);
  return heed::convert(options, call.options);
}
Status read_call(const heed_multi_head* module, const heed_const_tensor* x, const heed_const_tensor* k,
                 const heed_const_tensor* v, const heed_tensor* out, const heed_options* options, Call& call) {
  if (Status status = need_structs({{"k", k}, {"v", v}}); !status.ok()) return status;
  call.b = heed::convert(*v);
  return read_call(module, x, k, out, options, call);
}

Status pack_for_c(heed_linear* linear, void* memory, std::size_t bytes) {
  if (Status status = need_structs({{"linear", linear}}); !status.ok()) return status;
  Linear packed = convert(*linear);
  Status status = pack(packed, {static_cast<std::byte*>(memory), bytes});
  if (status.ok()) linear->packed = packed.packed;
  return status;
}

Status project_for_c(const heed_multi_head* module, const heed_const_tensor* context, const heed_tensor* k,
                     const heed_tensor* v, std::int32_t threads) {
  if (Status status = need_structs({{"module", module}, {"context", context}, {"k", k}, {"v", v}}); !status.ok())
    return status;
  MultiHeadAttention converted;
  if (Status status = convert("module", *module, converted); !status.ok()) return status;
  return project_kv(converted, heed::convert(*context), heed::convert(*k), heed::convert(*v), threads);
}

}  // namespace

Status convert(const char* name, const heed_multi_head& given, MultiHeadAttention& result) {
  heed_multi_head module{};
  if (Status status = read_sized(name, "heed_multi_head_init", given, module); !status.ok()) return status;
  result = {module.q_heads,         module.kv_heads,        convert(module.w_q),
            convert(module.w_k),    convert(module.w_v),    convert(module.w_o),
            convert(module.q_norm), convert(module.k_norm), {}};
  if (module.rotation != nullptr) result.rotation = convert(*module.rotation);
  return {};
}

}  // namespace heed

using namespace heed;

heed_linear heed_linear_of(const float* weights, int64_t outputs, int64_t inputs) {
  return convert(linear(weights, outputs, inputs));
}

heed_linear heed_some_outputs(const heed_linear* all, int64_t first, int64_t count) {
  return convert(some_outputs(convert(*all), first, count));
}

int32_t heed_packed_size(const heed_linear* linear, size_t* bytes, char* message, size_t message_size) {
  Status status = need_structs({{"linear", linear}});
  if (status.ok() && bytes == nullptr) status = null_result("bytes");
  if (status.ok()) status = packed_size(convert(*linear), *bytes);
  return answer(status, message, message_size);
}

int32_t heed_pack(heed_linear* linear, void* memory, size_t bytes, char* message, size_t message_size) {
  return answer(pack_for_c(linear, memory, bytes), message, message_size);
}

void heed_multi_head_init(heed_multi_head* module) {
  std::memset(module, 0, multi_head_size_0_1);
  module->size = multi_head_size_0_1;
  module->q_heads = module->kv_heads = 1;
}

int32_t heed_multi_head_attention(const heed_multi_head* module, const heed_const_tensor* x,
                                  const heed_const_tensor* context, const heed_tensor* out, const heed_options* options,
                                  char* message, size_t message_size) {
  Call call;
  Status status = read_call(module, x, context, out, options, call);
  if (status.ok()) status = multi_head_attention(call.module, call.x, call.a, call.out, call.options);
  return answer(status, message, message_size);
}

int32_t heed_multi_head_scratch_size(const heed_multi_head* module, const heed_const_tensor* x,
                                     const heed_const_tensor* context, const heed_tensor* out,
                                     const heed_options* options, size_t* bytes, char* message, size_t message_size) {
  Call call;
  Status status = read_call(module, x, context, out, options, call);
  if (status.ok() && bytes == nullptr) status = null_result("bytes");
  if (status.ok()) status = multi_head_scratch_size(call.module, call.x, call.a, call.out, call.options, *bytes);
  return answer(status, message, message_size);
}

int32_t heed_project_kv(const heed_multi_head* module, const heed_const_tensor* context, const heed_tensor* k,
                        const heed_tensor* v, int32_t threads, char* message, size_t message_size) {
  return answer(project_for_c(module, context, k, v, threads), message, message_size);
}

int32_t heed_attend(const heed_multi_head* module, const heed_const_tensor* x, const heed_const_tensor* k,
                    const heed_const_tensor* v, const heed_tensor* out, const heed_options* options, char* message,
                    size_t message_size) {
  Call call;
  Status status = read_call(module, x, k, v, out, options, call);
  if (status.ok()) status = attend(call.module, call.x, call.a, call.b, call.out, call.options);
  return answer(status, message, message_size);
}

int32_t heed_attend_scratch_size(const heed_multi_head* module, const heed_const_tensor* x, const heed_const_tensor* k,
                                 const heed_const_tensor* v, const heed_tensor* out, const heed_options* options,
                                 size_t* bytes, char* message, size_t message_size) {
  Call call;
  Status status = read_call(module, x, k, v, out, options, call);
  if (status.ok() && bytes == nullptr) status = null_result("bytes");
  if (status.ok()) status = attend_scratch_size(call.module, call.x, call.a, call.b, call.out, call.options, *bytes);
  return answer(status, message, message_size);
}
