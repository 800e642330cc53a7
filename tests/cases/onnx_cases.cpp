// SPDX-License-Identifier: Apache-2.0
// The ONNX operator Attention (operator sets 23 to 25) lowered to calls of heed. tests/data/README.md
// says what becomes what.
#include <algorithm>

#include "cases/read_cases.hpp"

namespace heed::tests {
namespace {

// Their float32 answers against heed's: tighter than ONNX asks.
constexpr double out_tolerance = 1e-6;
constexpr double score_tolerance = 2e-6;

struct OnnxTensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> data;
};

OnnxTensor tensor(const Json& json) {
  OnnxTensor tensor{field(json, "dtype").get<std::string>(), integers(field(json, "shape")),
                    numbers(field(json, "data"))};
  if (tensor.data.size() != product(tensor.shape)) throw BadCase("data and shape disagree");
  return tensor;
}

std::optional<OnnxTensor> find(const Json& tensors, const char* name) {
  if (!tensors.contains(name)) return std::nullopt;
  try {
    return tensor(tensors[name]);
  } catch (const BadCase& error) {
    throw BadCase(std::string(name) + ": " + error.what());
  }
}

OnnxTensor need(const Json& tensors, const char* name) {
  field(tensors, name);
  return *find(tensors, name);
}

// [batch, heads, tokens, channels] from rank 4, or from rank 3 [batch, tokens, heads * channels].
template <class T>
Values<T> logical(const OnnxTensor& tensor, std::int64_t heads) {
  Values<T> values;
  if (tensor.shape.size() == 4) {
    std::copy_n(tensor.shape.begin(), 4, values.shape.begin());
    for (const double x : tensor.data) values.data.push_back(static_cast<T>(x));
    return values;
  }
  if (tensor.shape.size() != 3 || heads <= 0 || tensor.shape[2] % heads != 0)
    throw BadCase("expected rank 4, or rank 3 with the number of heads");
  const std::int64_t tokens = tensor.shape[1], channels = tensor.shape[2] / heads;
  values.shape = {tensor.shape[0], heads, tokens, channels};
  for (std::int64_t b = 0; b < tensor.shape[0]; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t n = 0; n < tokens; ++n)
        for (std::int64_t c = 0; c < channels; ++c)
          values.data.push_back(
              static_cast<T>(tensor.data[static_cast<std::size_t>(((b * tokens + n) * heads + h) * channels + c)]));
  return values;
}

Values<float> join_tokens(const Values<float>& first, const Values<float>& second) {
  Values<float> joined{first.shape, {}};
  joined.shape[2] += second.shape[2];
  const auto heads = static_cast<std::size_t>(first.shape[0] * first.shape[1]);
  const auto a = static_cast<std::size_t>(first.shape[2] * first.shape[3]);
  const auto b = static_cast<std::size_t>(second.shape[2] * second.shape[3]);
  for (std::size_t h = 0; h < heads; ++h) {
    joined.data.insert(joined.data.end(), first.data.begin() + static_cast<std::ptrdiff_t>(h * a),
                       first.data.begin() + static_cast<std::ptrdiff_t>((h + 1) * a));
    joined.data.insert(joined.data.end(), second.data.begin() + static_cast<std::ptrdiff_t>(h * b),
                       second.data.begin() + static_cast<std::ptrdiff_t>((h + 1) * b));
  }
  return joined;
}

// K or V with its past before it; the file's own joined tensor must agree.
Values<float> with_past(const Json& inputs, const Json& outputs, const char* name, const char* past,
                        const char* present, std::int64_t heads) {
  Values<float> values = logical<float>(need(inputs, name), heads);
  if (const auto before = find(inputs, past)) values = join_tokens(logical<float>(*before, heads), values);
  if (const auto joined = find(outputs, present); joined && logical<float>(*joined, heads).data != values.data)
    throw BadCase(std::string(present) + ": is not the past followed by the new tokens");
  return values;
}

// Masks of rank 1 to 4 are aligned at the right.
template <class T>
Values<T> right_aligned(const OnnxTensor& tensor) {
  if (tensor.shape.empty() || tensor.shape.size() > 4) throw BadCase("attn_mask: expected rank 1 to 4");
  Values<T> values{{1, 1, 1, 1}, {}};
  std::copy(tensor.shape.rbegin(), tensor.shape.rend(), values.shape.rbegin());
  for (const double x : tensor.data) values.data.push_back(static_cast<T>(x));
  return values;
}

void read_mask(const Json& inputs, Case& result) {
  const auto mask = find(inputs, "attn_mask");
  if (!mask) return;
  std::int64_t width = 0;
  if (mask->dtype == "bool") {
    result.mask = CaseMask{right_aligned<std::uint8_t>(*mask), true};
    width = result.mask->cells.shape[3];
  } else {
    result.bias = right_aligned<float>(*mask);
    width = result.bias->shape[3];
  }
  if (width == 1 || width >= result.kv_len) return;
  // ONNX reads a narrow mask as hiding the rest; with heed the caller says so by a smaller kv_len.
  result.kv_len = width;
  result.wanted_error = "dimension 3";
  for (std::int64_t& length : result.lengths) length = std::min(length, width);
}

void read_position(const Json& attributes, const Json& inputs, std::int64_t past, Case& result) {
  result.causal = attributes.value("is_causal", 0) != 0;
  result.window = {attributes.value("left_window_size", std::int64_t{-1}),
                   attributes.value("right_window_size", std::int64_t{-1})};
  if (!result.causal && result.window.left < 0 && result.window.right < 0) return;
  result.position = Position::Kind::per_batch;
  result.offsets.assign(static_cast<std::size_t>(result.batch()), past);
  if (const auto lengths = find(inputs, "nonpad_kv_seqlen"))
    for (std::size_t b = 0; b < result.offsets.size(); ++b)
      result.offsets[b] = static_cast<std::int64_t>(lengths->data.at(b)) - result.q_len();
}

// [batch, q_heads, q_len, all keys] cut to the keys in use; what is cut off must be 0.
std::vector<double> used_keys(const OnnxTensor& tensor, std::int64_t kv_len) {
  const std::int64_t width = tensor.shape.back();
  std::vector<double> values;
  for (std::size_t n = 0; n < tensor.data.size(); ++n) {
    if (static_cast<std::int64_t>(n) % width < kv_len)
      values.push_back(tensor.data[n]);
    else if (tensor.data[n] != 0.0)
      throw BadCase("qk_matmul_output: is not 0 beyond the mask");
  }
  return values;
}

void read_outputs(const Json& attributes, const Json& outputs, Case& result) {
  const Values<double> y = logical<double>(need(outputs, "Y"), result.q_heads());
  result.out = {y.data, out_tolerance, {}, {}};
  const auto scores = find(outputs, "qk_matmul_output");
  if (!scores) return;
  std::vector<double> values = used_keys(*scores, result.kv_len);
  const int mode = attributes.value("qk_matmul_output_mode", 0);
  if (mode == 3)
    result.weights = {std::move(values), out_tolerance, {}, {}};
  else
    result.score = WantedScore{std::move(values), score_tolerance, mode >= 1, mode >= 2};
}

std::string missing_dtype(const Json& tensors) {
  for (const auto& [name, json] : tensors.items()) {
    const auto dtype = field(json, "dtype").get<std::string>();
    if (dtype != "f32" && dtype != "bool" && dtype != "i64") return dtype + " is not built";
  }
  return "";
}

}  // namespace

Case onnx_case(const Json& json) {
  const Json& attributes = field(json, "attributes");
  const Json& inputs = field(json, "inputs");
  const Json& outputs = field(json, "outputs");
  Case result;
  result.skip_reason = missing_dtype(inputs);
  if (result.skip_reason.empty()) result.skip_reason = missing_dtype(outputs);
  if (!result.skip_reason.empty()) return result;

  result.q = logical<float>(need(inputs, "Q"), attributes.value("q_num_heads", std::int64_t{0}));
  const auto kv_heads = attributes.value("kv_num_heads", std::int64_t{0});
  result.k = with_past(inputs, outputs, "K", "past_key", "present_key", kv_heads);
  result.v = with_past(inputs, outputs, "V", "past_value", "present_value", kv_heads);
  result.kv_len = result.k.shape[2];
  if (attributes.contains("scale")) result.scale = static_cast<float>(number(attributes["scale"]));
  if (attributes.contains("softcap")) result.soft_cap = static_cast<float>(number(attributes["softcap"]));
  if (const auto lengths = find(inputs, "nonpad_kv_seqlen"))
    for (const double length : lengths->data) result.lengths.push_back(static_cast<std::int64_t>(length));
  read_mask(inputs, result);

  const auto past_key = find(inputs, "past_key");
  const std::int64_t past = past_key ? past_key->shape.at(2) : 0;
  read_position(attributes, inputs, past, result);
  read_outputs(attributes, outputs, result);
  // A cache and the new tokens may also be two calls.
  if (past > 0 && past < result.kv_len) result.parts = {{0, past, {}, {}}, {past, result.kv_len, {}, {}}};
  return result;
}

}  // namespace heed::tests
