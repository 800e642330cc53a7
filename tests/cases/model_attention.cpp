// SPDX-License-Identifier: Apache-2.0
#include "cases/model_attention.hpp"

#include "cases/stored_case.hpp"
#include "cases/tabular_cases.hpp"
#include "support/compare.hpp"

namespace heed::tests {
namespace {

// Tokens [begin, end) of a tensor of floats.
template <class AnyTensor, class Float>
AnyTensor tokens_of(AnyTensor tensor, Float* data, std::int64_t begin, std::int64_t end) {
  tensor.data = data + begin * tensor.strides[2];
  tensor.shape[2] = end - begin;
  return tensor;
}
ConstTensor floats_of(const GuardedTensor& tensor) { return tensor.tensor(); }

// One item for all of a batch.
ConstTensor for_each_item(ConstTensor tensor, std::int64_t batch) {
  if (tensor.shape[0] == batch) return tensor;
  tensor.shape[0] = batch;
  tensor.strides[0] = 0;
  return tensor;
}

std::vector<std::uint8_t> read_mask(const Golden& golden, const char* name) {
  return golden.has(name) ? cells<std::uint8_t>(golden.need(name)) : std::vector<std::uint8_t>{};
}

}  // namespace

GuardedTensor stored(const Tokens& tokens) {
  GuardedTensor tensor({tokens.batch, 1, tokens.tokens, tokens.channels}, Storage::bhnd);
  tensor.assign(std::vector<float>(tokens.data.begin(), tokens.data.end()));
  return tensor;
}

ModelAttention::ModelAttention(const Golden& golden, std::string prefix, const Way& way, int threads,
                               Boundaries& boundaries)
    : golden_(golden),
      prefix_(std::move(prefix)),
      way_(way),
      threads_(threads),
      boundaries_(boundaries),
      scaling_(golden.has(prefix_ + "q_after_scaling") ? read_scaling(golden, prefix_) : CaseScaling{}),
      key_blocked_(read_mask(golden, "key_blocked")),
      pair_blocked_(read_mask(golden, "pair_blocked")) {
  if (golden.has("key_bias")) key_bias_ = cells<float>(golden.need("key_bias"));
  module_.q_heads = golden.size("heads");
  module_.kv_heads = golden.size("kv_heads");
  if (golden.has(prefix_ + "w_qkv")) {
    const Linear all = read_linear("qkv");
    const std::int64_t third = all.outputs / 3;
    module_.w_q = some_outputs(all, 0, third);
    module_.w_k = some_outputs(all, third, third);
    module_.w_v = some_outputs(all, 2 * third, third);
  } else {
    module_.w_q = read_linear("q");
    module_.w_k = read_linear("k");
    module_.w_v = read_linear("v");
  }
  module_.w_o = read_linear("o");
  if (!golden.config.contains("rope")) return;
  const CaseRotation rotation = read_rotation(golden);
  const std::vector<double> frequencies(rotation.frequencies.begin(), rotation.frequencies.end());
  const std::int64_t positions = 64;
  cosines_.resize(frequencies.size() * static_cast<std::size_t>(positions));
  sines_.resize(cosines_.size());
  module_.rotation = HeadRotation{
      .table = {cosines_.data(), sines_.data(), positions, 2 * static_cast<std::int64_t>(frequencies.size())},
      .pairs = rotation.pairs};
  expect_ok("fill_rotary_table", fill_rotary_table(module_.rotation->table, frequencies));
}

// Empty where the golden has no such weights.
Linear ModelAttention::read_linear(const char* letter) {
  const std::string name = prefix_ + "w_" + letter, bias_name = prefix_ + "b_" + letter;
  if (!golden_.has(name)) return {};
  const Stored& weights = golden_.need(name);
  std::span<const float> bias;
  if (golden_.has(bias_name)) bias = weights_.emplace_back(cells<float>(golden_.need(bias_name)));
  return linear(weights_.emplace_back(cells<float>(weights)).data(), weights.shape.at(0), weights.shape.at(1), bias);
}

void ModelAttention::expect_ok(const char* call, const Status& status) {
  if (!status.ok()) boundaries_.add(std::string(call) + ": " + status.message());
}

// By a module that has the weights in the place of w_k.
GuardedTensor ModelAttention::project(const Linear& linear, std::int64_t heads, const Tokens& tokens, bool turns) {
  MultiHeadAttention module;
  module.kv_heads = module.q_heads = heads;
  module.w_k = module.w_v = linear;
  if (turns) module.rotation = module_.rotation;
  const Dims shape = {tokens.batch, heads, tokens.tokens, linear.outputs / heads};
  GuardedTensor k(shape, Storage::bnhd), v(shape, Storage::bhnd);
  expect_ok("project_kv", project_kv(module, stored(tokens).tensor(), k.tensor(), v.tensor(), threads_));
  return k;
}

GuardedTensor ModelAttention::project_queries(const Tokens& queries) {
  boundaries_.compare(prefix_ + "q_after_projection", floats_of(project(module_.w_q, module_.q_heads, queries, false)));
  GuardedTensor q = project(module_.w_q, module_.q_heads, queries, true);
  if (module_.rotation) boundaries_.compare(prefix_ + "q_after_rope", floats_of(q));
  return q;
}

GuardedTensor ModelAttention::project_keys(const Tokens& context) {
  GuardedTensor k = project(module_.w_k, module_.kv_heads, context, true);
  boundaries_.compare(prefix_ + "k", floats_of(k));
  return k;
}

// From the context, or from a cache of whole numbers times a scale.
ModelAttention::KeysAndValues ModelAttention::keys_and_values(const Tokens& context) {
  KeysAndValues result;
  if (golden_.has("k_int8")) {
    const auto cached = [&](const char* numbers, const char* scale) {
      const Stored& all = golden_.need(numbers);
      const Dims shape = {all.shape.at(0), all.shape.at(2), all.shape.at(1), all.shape.at(3)};
      GuardedTensor tensor(shape, strides_of(Storage::bnhd, shape));
      std::size_t next = 0;
      for (std::int64_t b = 0; b < shape[0]; ++b)
        for (std::int64_t n = 0; n < shape[2]; ++n)
          for (std::int64_t h = 0; h < shape[1]; ++h)
            for (std::int64_t c = 0; c < shape[3]; ++c)
              tensor.at(b, h, n, c) = static_cast<float>(all.data[next++] * golden_.need(scale).data.at(0));
      return tensor;
    };
    result = {cached("k_int8", "k_scale"), cached("v_int8", "v_scale")};
  } else {
    const std::int64_t heads = module_.kv_heads;
    if (module_.rotation)
      boundaries_.compare(prefix_ + "k_after_projection", floats_of(project(module_.w_k, heads, context, false)));
    result.k = GuardedTensor({context.batch, heads, context.tokens, module_.w_k.outputs / heads}, Storage::bhnd);
    result.v = GuardedTensor({context.batch, heads, context.tokens, module_.w_v.outputs / heads}, Storage::bnhd);
    expect_ok("project_kv",
              project_kv(module_, stored(context).tensor(), result.k.tensor(), result.v.tensor(), threads_));
  }
  boundaries_.compare(prefix_ + "k", floats_of(result.k));
  boundaries_.compare(prefix_ + "v", floats_of(result.v));
  return result;
}

Options ModelAttention::options() const {
  Options options;
  options.path = way_.path;
  options.isa = way_.isa;
  options.threads = threads_;
  if (!scaling_.factors.empty() || !scaling_.base.w1.empty()) options.query_scaling = query_scaling(scaling_);
  const std::int64_t keys = golden_.size_or("kv_len", 0);
  if (!key_blocked_.empty()) options.key_mask = blocked_keys(key_blocked_.data(), golden_.size("batch"), keys);
  if (!pair_blocked_.empty()) options.mask = blocked(pair_blocked_.data(), {1, 1, golden_.size("q_len"), keys});
  if (!key_bias_.empty())
    options.bias = ConstTensor{key_bias_.data(), {golden_.size("batch"), 1, 1, keys}, {keys, 0, 0, 1}};
  return options;
}

void ModelAttention::check_scaling(const GuardedTensor& q) {
  const Options options = this->options();
  if (!options.query_scaling) return;
  const auto scaled = [&](const QueryScaling& scaling, const ConstTensor& rows) {
    GuardedTensor result(rows.shape, Storage::bnhd);
    expect_ok("scale_queries", scale_queries(rows, scaling, result.tensor(), {.threads = threads_, .isa = way_.isa}));
    return recorded_order(result.tensor(), rows.shape[1]);
  };
  boundaries_.compare(prefix_ + "q_after_scaling", scaled(*options.query_scaling, q.tensor()),
                      golden_.need(prefix_ + "q_after_scaling").data, 1.0);
  if (golden_.has(prefix_ + "qassmax_base")) {  // of a row of ones: base alone
    GuardedTensor ones({1, q.shape()[1], 1, q.shape()[3]}, Storage::bnhd);
    ones.assign(std::vector<float>(static_cast<std::size_t>(element_count(ones.shape())), 1.0f));
    QueryScaling base = *options.query_scaling;
    base.gate = {};
    const Stored& wanted = golden_.need(prefix_ + "qassmax_base");
    std::vector<double> repeated;  // a base for each head is the same for all of its channels
    for (const double value : wanted.data)
      repeated.insert(repeated.end(), static_cast<std::size_t>(q.shape()[3] / wanted.shape.at(1)), value);
    boundaries_.compare(prefix_ + "qassmax_base", scaled(base, ones.tensor()), repeated, 1.0);
  }
  if (golden_.has(prefix_ + "qassmax_gate")) {  // with a base of 1: q times the gate
    QueryScaling gate = *options.query_scaling;
    const std::vector<float> no_weights(gate.base.w2.size(), 0.0f), one(gate.base.b2.size(), 1.0f);
    gate.base.w2 = no_weights;
    gate.base.b2 = one;
    const Stored& wanted = golden_.need(prefix_ + "qassmax_gate");
    std::vector<double> product = recorded_order(q.tensor(), q.shape()[1]);
    const std::size_t channels_each = product.size() / wanted.data.size();
    double largest = 1.0;
    for (std::size_t n = 0; n < product.size(); ++n) {
      largest = std::max(largest, std::abs(product[n]));
      product[n] *= wanted.data[n / channels_each];
    }
    boundaries_.compare(prefix_ + "qassmax_gate", scaled(gate, q.tensor()), product, largest);
  }
}

Tokens ModelAttention::run(const Tokens& queries, const Tokens& context, const std::vector<QueryPart>& parts) {
  const GuardedTensor q = project_queries(queries), x = stored(queries), from = stored(context);
  check_scaling(q);
  const auto [k, v] = keys_and_values(context);
  const std::int64_t batch = k.shape()[0];
  GuardedTensor attended({batch, module_.q_heads, queries.tokens, v.shape()[3]}, Storage::bnhd);
  GuardedTensor out({batch, 1, queries.tokens, module_.w_o.outputs}, Storage::bhnd);
  for (const QueryPart& part : parts) {
    ConstTensor keys = k.tensor(), values = v.tensor();
    const bool reads_all = part.kv_heads == module_.kv_heads && parts.size() == 1 && !golden_.has("k_int8");
    keys.shape[1] = values.shape[1] = part.kv_heads;
    const auto rows = [&](const ConstTensor& tensor) {
      return tokens_of(for_each_item(tensor, batch), static_cast<const float*>(tensor.data), part.begin, part.end);
    };
    const auto result_rows = [&](const Tensor& tensor) {
      return tokens_of(tensor, static_cast<float*>(tensor.data), part.begin, part.end);
    };
    expect_ok("attention", attention(rows(q.tensor()), keys, values, result_rows(attended.tensor()), options()));
    expect_ok("the module",
              reads_all
                  ? multi_head_attention(module_, rows(x.tensor()), from.tensor(), result_rows(out.tensor()), options())
                  : attend(module_, rows(x.tensor()), keys, values, result_rows(out.tensor()), options()));
  }
  boundaries_.compare(prefix_ + "attention_out", floats_of(attended));
  return {batch, queries.tokens, module_.w_o.outputs, recorded_order(out.tensor(), 1)};
}

}  // namespace heed::tests
