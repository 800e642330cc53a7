// SPDX-License-Identifier: Apache-2.0
// The order of the arguments: module, tokens, outputs, options. Nothing is written before all of it holds.
#include "modules/check_multi_head.hpp"

#include <cinttypes>
#include <cmath>

#include "modules/rotation.hpp"
#include "status.hpp"

namespace heed {
namespace {

bool check_linear(Checks& check, const char* name, const char* bias_name, const Linear& linear, const Wanted& outputs,
                  const Wanted& inputs) {
  const std::int64_t shape[] = {linear.outputs, linear.inputs};
  const std::int64_t strides[] = {linear.output_stride, linear.input_stride};
  const Wanted wanted[] = {outputs, inputs};
  return check.array({name, linear.weights, shape, strides, sizeof(float)}, wanted) &&
         check.optional_values(bias_name, linear.bias, exactly("outputs", linear.outputs));
}

bool check_norm(Checks& check, const char* name, const RmsNorm& norm, std::int64_t head_dim) {
  if (!check.optional_values(name, norm.weights, exactly("head_dim", head_dim))) return false;
  if (std::isfinite(norm.epsilon) && norm.epsilon >= 0.0f) return true;
  return check.fail(make_status(StatusCode::bad_value, "%s: epsilon is %g, expected a finite number, 0 or more", name,
                                static_cast<double>(norm.epsilon)));
}

bool check_heads(Checks& check, const MultiHeadAttention& module) {
  const auto [q_heads, kv_heads] = std::pair(module.q_heads, module.kv_heads);
  if (q_heads < 1)
    return check.fail(make_status(StatusCode::bad_heads, "q_heads: %" PRId64 ", expected 1 or more", q_heads));
  if (kv_heads >= 1 && q_heads % kv_heads == 0) return true;
  return check.fail(make_status(
      StatusCode::bad_heads, "kv_heads: %" PRId64 ", expected a divisor of %" PRId64 " (q_heads)", kv_heads, q_heads));
}

bool check_divides(Checks& check, const char* name, std::int64_t outputs, std::int64_t heads, const char* heads_name) {
  if (outputs >= 0 && outputs % heads == 0) return true;
  return check.fail(make_status(StatusCode::shape_mismatch,
                                "%s: dimension 0 is %" PRId64 ", expected a multiple of %" PRId64 " (%s)", name,
                                outputs, heads, heads_name));
}

// Tokens of one head, whose channels lie side by side.
bool check_channels(Checks& check, const char* name, const ConstTensor& tensor) {
  if (tensor.shape[3] <= 1 || tensor.strides[3] == 1) return true;
  return check.fail(make_status(StatusCode::unsupported,
                                "%s: stride 3 is %" PRId64 ", expected 1: channels side by side", name,
                                tensor.strides[3]));
}
bool check_tokens(Checks& check, const char* name, const ConstTensor& tensor, const Wanted& batch) {
  const Wanted wanted[] = {batch, exactly("one head", 1), any_size("tokens"), any_size("channels")};
  return check.tensor(name, tensor, wanted) && check_channels(check, name, tensor);
}
bool check_output_tokens(Checks& check, const Tensor& out, const Sizes& sizes, const Linear& w_o) {
  const Wanted wanted[] = {exactly("batch", sizes.batch), exactly("one head", 1), exactly("q_len", sizes.q_len),
                           exactly("outputs of w_o", w_o.outputs)};
  return check.output("out", out, wanted) && check_channels(check, "out", out);
}

bool check_table(Checks& check, const MultiHeadAttention& module) {
  if (!module.rotation) return true;
  const Status status = check_rotary_sizes(module.rotation->table);
  return status.ok() ? check_rotary_memory(check, module.rotation->table) : check.fail(status);
}
bool check_positions(Checks& check, const char* name, const Dims& shape, const RotaryTable& table,
                     const RotaryOptions& options) {
  const auto given = static_cast<std::int64_t>(options.positions.size());
  if (!check.optional_values(name, options.positions, exactly("positions", given))) return false;
  const Status status = check_rotation(shape, table, options);
  return status.ok() || check.fail(status);
}
bool check_queries(Checks& check, const MultiHeadAttention& module, const Sizes& sizes) {
  const auto& rotation = module.rotation;
  return !rotation ||
         check_positions(check, "rotation.query_positions", {sizes.batch, sizes.q_heads, sizes.q_len, sizes.head_dim},
                         rotation->table, {rotation->pairs, rotation->first_query, rotation->query_positions});
}
bool check_keys(Checks& check, const MultiHeadAttention& module, const Sizes& sizes) {
  const auto& rotation = module.rotation;
  return !rotation ||
         check_positions(check, "rotation.key_positions", {sizes.batch, sizes.kv_heads, sizes.kv_len, sizes.head_dim},
                         rotation->table, {rotation->pairs, rotation->first_key, rotation->key_positions});
}

bool check_query_weights(Checks& check, const MultiHeadAttention& module, std::int64_t channels, Sizes& sizes) {
  if (!check_divides(check, "w_q", module.w_q.outputs, module.q_heads, "q_heads")) return false;
  sizes.q_heads = module.q_heads;
  sizes.head_dim = module.w_q.outputs / module.q_heads;
  return check_linear(check, "w_q", "w_q.bias", module.w_q, any_size("q_heads * head_dim"),
                      exactly("channels of x", channels)) &&
         check_norm(check, "q_norm", module.q_norm, sizes.head_dim);
}
// head_dim is known where there are queries.
bool check_key_weights(Checks& check, const MultiHeadAttention& module, std::int64_t channels, const Wanted& outputs,
                       Sizes& sizes) {
  if (!check_divides(check, "w_k", module.w_k.outputs, module.kv_heads, "kv_heads") ||
      !check_divides(check, "w_v", module.w_v.outputs, module.kv_heads, "kv_heads"))
    return false;
  sizes.kv_heads = module.kv_heads;
  sizes.head_dim = module.w_k.outputs / module.kv_heads;
  sizes.value_dim = module.w_v.outputs / module.kv_heads;
  const Wanted inputs = exactly("channels of context", channels);
  return check_linear(check, "w_k", "w_k.bias", module.w_k, outputs, inputs) &&
         check_norm(check, "k_norm", module.k_norm, sizes.head_dim) &&
         check_linear(check, "w_v", "w_v.bias", module.w_v, any_size("kv_heads * value_dim"), inputs);
}
bool check_output_weights(Checks& check, const MultiHeadAttention& module, const Sizes& sizes) {
  return check_linear(check, "w_o", "w_o.bias", module.w_o, any_size("outputs"),
                      exactly("q_heads * value_dim", sizes.q_heads * sizes.value_dim));
}

}  // namespace

Status check_module(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& context,
                    const Tensor& out, const Options& options, bool needs_data, Sizes& sizes) {
  Checks check(needs_data);
  sizes = {x.shape[0], module.q_heads, module.kv_heads, x.shape[2], context.shape[2], 0, 0};
  const bool is_valid = check_heads(check, module) && check_query_weights(check, module, x.shape[3], sizes) &&
                        check_key_weights(check, module, context.shape[3],
                                          exactly("kv_heads * head_dim", module.kv_heads * sizes.head_dim), sizes) &&
                        check_output_weights(check, module, sizes) && check_table(check, module) &&
                        check_tokens(check, "x", x, any_size("batch")) &&
                        check_tokens(check, "context", context, exactly("batch", sizes.batch)) &&
                        check_queries(check, module, sizes) && check_keys(check, module, sizes) &&
                        check_output_tokens(check, out, sizes, module.w_o) && check_call_options(check, sizes, options);
  return is_valid ? Status{} : check.status();
}

Status check_project_kv(const MultiHeadAttention& module, const ConstTensor& context, const Tensor& k, const Tensor& v,
                        int threads) {
  Checks check(true);
  Sizes sizes{context.shape[0], module.q_heads, module.kv_heads, 0, context.shape[2], 0, 0};
  const auto wanted = [&](const char* name, std::int64_t channels) {
    return std::array{exactly("batch", sizes.batch), exactly("kv_heads", sizes.kv_heads),
                      exactly("kv_len", sizes.kv_len), exactly(name, channels)};
  };
  const bool is_valid = check_heads(check, module) &&
                        check_key_weights(check, module, context.shape[3], any_size("kv_heads * head_dim"), sizes) &&
                        check_table(check, module) && check_tokens(check, "context", context, any_size("batch")) &&
                        check_keys(check, module, sizes) && check.output("k", k, wanted("head_dim", sizes.head_dim)) &&
                        check_channels(check, "k", k) && check.output("v", v, wanted("value_dim", sizes.value_dim)) &&
                        check_channels(check, "v", v) && check_threads(check, threads);
  return is_valid ? Status{} : check.status();
}

Status check_attend(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k, const ConstTensor& v,
                    const Tensor& out, const Options& options, bool needs_data, Sizes& sizes) {
  Checks check(needs_data);
  sizes = {x.shape[0], module.q_heads, k.shape[1], x.shape[2], k.shape[2], 0, v.shape[3]};
  const bool is_valid = check_heads(check, module) && check_query_weights(check, module, x.shape[3], sizes) &&
                        check_output_weights(check, module, sizes) && check_table(check, module) &&
                        check_tokens(check, "x", x, any_size("batch")) && check_queries(check, module, sizes) &&
                        check_keys_and_values(check, sizes, k, v) &&
                        check_output_tokens(check, out, sizes, module.w_o) && check_call_options(check, sizes, options);
  return is_valid ? Status{} : check.status();
}

Status check_not_written(const MultiHeadAttention& module, const ConstTensor& x, const Tensor& hidden) {
  Checks check(true);
  Sizes sizes{x.shape[0], module.q_heads, module.kv_heads, x.shape[2], hidden.shape[2], 0, 0};
  const Wanted wanted[] = {any_size("batch"), any_size("one head"), any_size("tokens"), any_size("channels")};
  const bool is_valid = check_query_weights(check, module, x.shape[3], sizes) &&
                        check_key_weights(check, module, hidden.shape[3], any_size("kv_heads * head_dim"), sizes) &&
                        check_output_weights(check, module, sizes) && check_table(check, module) &&
                        check.tensor("x", x, wanted) && check.output("hidden", hidden, wanted);
  return is_valid ? Status{} : check.status();
}

Status check_pack(const Linear& linear, std::span<std::byte> memory, bool needs_data) {
  Checks check(needs_data);
  const bool is_valid = check_linear(check, "linear", "linear.bias", linear, any_size("outputs"), any_size("inputs")) &&
                        check.buffer("memory", memory);
  return is_valid ? Status{} : check.status();
}

}  // namespace heed
