// SPDX-License-Identifier: Apache-2.0
// The C API: converts structs and calls the C++ API.
#include <cstddef>
#include <cstring>
#include <new>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "dispatch/kernel_registry.hpp"
#include "status.hpp"

namespace heed {
namespace {

// Callers compiled against an older header own a smaller struct than this library's, so the two init
// functions write what 0.1 had for ever; a longer struct gets an init function of its own.
constexpr std::size_t options_size_0_1 = offsetof(heed_options, scratch_size) + sizeof(std::size_t);
constexpr std::size_t explanation_size_0_1 = offsetof(heed_explanation, text) + sizeof(heed_text);

Status explain(const Arguments& call, heed_explanation& given) {
  heed_explanation result{};
  if (Status status = read_sized("explanation", "heed_explanation_init", given, result); !status.ok()) return status;
  Explanation explanation;
  Status status = explain(call.q, call.k, call.v, call.out, call.options, explanation);
  if (!status.ok()) return status;
  fill(result, explanation);
  write_sized(result, given);
  return {};
}

}  // namespace
}  // namespace heed

using namespace heed;

void heed_options_init(heed_options* options) {
  std::memset(options, 0, options_size_0_1);
  options->size = options_size_0_1;
}

void heed_explanation_init(heed_explanation* explanation) {
  std::memset(explanation, 0, explanation_size_0_1);
  explanation->size = explanation_size_0_1;
}

heed_const_tensor heed_const_tensor_bhnd(const float* data, int64_t batch, int64_t heads, int64_t tokens,
                                         int64_t channels) {
  return convert(bhnd(data, batch, heads, tokens, channels));
}

heed_const_tensor heed_const_tensor_bnhd(const float* data, int64_t batch, int64_t heads, int64_t tokens,
                                         int64_t channels) {
  return convert(bnhd(data, batch, heads, tokens, channels));
}

heed_tensor heed_tensor_bhnd(float* data, int64_t batch, int64_t heads, int64_t tokens, int64_t channels) {
  return convert(bhnd(data, batch, heads, tokens, channels));
}

heed_tensor heed_tensor_bnhd(float* data, int64_t batch, int64_t heads, int64_t tokens, int64_t channels) {
  return convert(bnhd(data, batch, heads, tokens, channels));
}

heed_mask heed_blocked(const uint8_t* data, int64_t batch, int64_t q_heads, int64_t q_len, int64_t kv_len) {
  return convert(blocked(data, {batch, q_heads, q_len, kv_len}));
}

heed_mask heed_allowed(const uint8_t* data, int64_t batch, int64_t q_heads, int64_t q_len, int64_t kv_len) {
  return convert(allowed(data, {batch, q_heads, q_len, kv_len}));
}

heed_key_mask heed_blocked_keys(const uint8_t* data, int64_t batch, int64_t kv_len) {
  return convert(blocked_keys(data, batch, kv_len));
}

heed_key_mask heed_allowed_keys(const uint8_t* data, int64_t batch, int64_t kv_len) {
  return convert(allowed_keys(data, batch, kv_len));
}

int32_t heed_attention(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                       const heed_tensor* out, const heed_options* options, char* message, size_t message_size) {
  Arguments call;
  Status status = convert(q, k, v, out, options, call);
  if (status.ok()) status = attention(call.q, call.k, call.v, call.out, call.options);
  return answer(status, message, message_size);
}

int32_t heed_scratch_size(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                          const heed_tensor* out, const heed_options* options, size_t* bytes, char* message,
                          size_t message_size) {
  Arguments call;
  Status status = convert(q, k, v, out, options, call);
  if (status.ok() && bytes == nullptr) status = null_result("bytes");
  if (status.ok()) status = scratch_size(call.q, call.k, call.v, call.out, call.options, *bytes);
  return answer(status, message, message_size);
}

int32_t heed_explain(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
                     const heed_tensor* out, const heed_options* options, heed_explanation* explanation, char* message,
                     size_t message_size) try {
  Arguments call;
  Status status = convert(q, k, v, out, options, call);
  if (status.ok() && explanation == nullptr) status = null_result("explanation");
  if (status.ok()) status = explain(call, *explanation);
  return answer(status, message, message_size);
} catch (const std::bad_alloc&) {
  return answer(make_status(StatusCode::out_of_memory, "explanation: its texts could not be allocated"), message,
                message_size);
}

const char* heed_version(void) { return version(); }

const char* heed_path_name(int32_t path) { return path_name(static_cast<Path>(path)); }

const char* heed_available_path_name(int32_t index) try {
  const std::vector<std::string> names = available_paths();
  if (index < 0 || static_cast<std::size_t>(index) >= names.size()) return nullptr;
  for (const Path path : {Path::streaming, Path::onednn, Path::reference})
    if (names[static_cast<std::size_t>(index)] == path_name(path)) return path_name(path);
  return nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

const char* heed_isa_name(int32_t index) {
  for (const IsaRow& row : built_isas())
    if (row.runs_here() && index-- == 0) return row.name;
  return nullptr;
}

double heed_error_bound(double score_magnitude, double max_abs_v, int32_t path) {
  return error_bound(score_magnitude, max_abs_v, static_cast<Path>(path));
}
