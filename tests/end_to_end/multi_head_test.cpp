// SPDX-License-Identifier: Apache-2.0
// The module against plain loops in double around the reference attention: projections with biases in any strides,
// norms, rotation, grouped heads, masks per batch item, halves, shared tokens, threads, scratch, and mistakes.
#include "heed/multi_head.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/random.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> normal_values(std::int64_t count, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill(values, Fill::normal, random);
  return values;
}

// A module with everything, 4 query heads on 2 KV heads of 6 channels and 5 values, and its memory.
struct Module {
  static constexpr std::int64_t channels = 20, context_channels = 12, q_heads = 4, kv_heads = 2, head_dim = 6,
                                value_dim = 5, outputs = 7, positions = 700;
  explicit Module(Random& random)
      : w_q(normal_values(q_heads * head_dim * channels, random)),
        w_kv(normal_values(kv_heads * (head_dim + value_dim) * context_channels, random)),
        w_o(normal_values(outputs * q_heads * value_dim, random)),
        b_q(normal_values(q_heads * head_dim, random)),
        b_kv(normal_values(kv_heads * (head_dim + value_dim), random)),
        b_o(normal_values(outputs, random)),
        norm(normal_values(head_dim, random)),
        cosines(positions * 2),
        sines(positions * 2) {
    view.q_heads = q_heads;
    view.kv_heads = kv_heads;
    view.w_q = {w_q.data(), q_heads * head_dim, channels, 1, q_heads * head_dim, b_q};  // [inputs][outputs]
    const Linear packed = linear(w_kv.data(), kv_heads * (head_dim + value_dim), context_channels, b_kv);
    view.w_k = some_outputs(packed, 0, kv_heads * head_dim);
    view.w_v = some_outputs(packed, kv_heads * head_dim, kv_heads * value_dim);
    view.w_o = linear(w_o.data(), outputs, q_heads * value_dim, b_o);
    view.q_norm = view.k_norm = {norm, 1e-3f};
    view.rotation = HeadRotation{{cosines.data(), sines.data(), positions, 4}, RotaryPairs::interleaved, 3, 1, {}, {}};
    REQUIRE(fill_rotary_table(view.rotation->table).ok());
  }
  std::vector<float> w_q, w_kv, w_o, b_q, b_kv, b_o, norm, cosines, sines;
  MultiHeadAttention view;
};

// [batch, heads, tokens, channels] of a projection, in double.
std::vector<double> project(const Linear& w, const ConstTensor& x, std::int64_t heads) {
  const std::int64_t channels = w.outputs / heads;
  std::vector<double> y;
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t n = 0; n < x.shape[2]; ++n)
        for (std::int64_t o = h * channels; o < (h + 1) * channels; ++o) {
          double sum = w.bias.empty() ? 0.0 : static_cast<double>(w.bias[static_cast<std::size_t>(o)]);
          for (std::int64_t i = 0; i < w.inputs; ++i)
            sum += static_cast<double>(w.weights[o * w.output_stride + i * w.input_stride]) *
                   static_cast<double>(
                       static_cast<const float*>(x.data)[b * x.strides[0] + n * x.strides[2] + i * x.strides[3]]);
          y.push_back(sum);
        }
  return y;
}

void finish(std::vector<double>& y, const RmsNorm& norm, const HeadRotation& rotation, std::int64_t first,
            std::int64_t tokens, std::int64_t head_dim) {
  const auto dim = static_cast<std::size_t>(head_dim);
  for (std::size_t row = 0; row < y.size() / dim; ++row) {
    double* const x = y.data() + row * dim;
    double squares = 0.0;
    for (std::size_t c = 0; c < dim; ++c) squares += x[c] * x[c];
    const double factor = 1.0 / std::sqrt(squares / static_cast<double>(dim) + static_cast<double>(norm.epsilon));
    for (std::size_t c = 0; c < dim; ++c) x[c] *= factor * static_cast<double>(norm.weights[c]);
    const auto p = static_cast<double>(first + static_cast<std::int64_t>(row) % tokens);
    for (std::int64_t i = 0; i < rotation.table.width / 2; ++i) {
      const double angle = p * std::pow(10000.0, -2.0 * static_cast<double>(i) / 4.0);
      double &a = x[2 * i], &b = x[2 * i + 1];
      const double turned = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned;
    }
  }
}

std::vector<float> rounded(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::vector<double> expected(const Module& module, const ConstTensor& x, const ConstTensor& context, Options options) {
  const std::int64_t batch = x.shape[0], q_len = x.shape[2], kv_len = context.shape[2];
  const MultiHeadAttention& view = module.view;
  std::vector<double> q = project(view.w_q, x, Module::q_heads), k = project(view.w_k, context, Module::kv_heads);
  finish(q, view.q_norm, *view.rotation, view.rotation->first_query, q_len, Module::head_dim);
  finish(k, view.k_norm, *view.rotation, view.rotation->first_key, kv_len, Module::head_dim);
  const std::vector<float> q_values = rounded(q), k_values = rounded(k),
                           v_values = rounded(project(view.w_v, context, Module::kv_heads));
  std::vector<float> attended(static_cast<std::size_t>(batch * Module::q_heads * q_len * Module::value_dim));
  options.path = Path::reference;
  const Tensor rows = bnhd(attended.data(), batch, Module::q_heads, q_len, Module::value_dim);
  const Status status =
      attention(bhnd(q_values.data(), batch, Module::q_heads, q_len, Module::head_dim),
                bhnd(k_values.data(), batch, Module::kv_heads, kv_len, Module::head_dim),
                bhnd(v_values.data(), batch, Module::kv_heads, kv_len, Module::value_dim), rows, options);
  REQUIRE_EQ(std::string(status.message()), "");
  return project(view.w_o, bhnd(attended.data(), batch, 1, q_len, Module::q_heads * Module::value_dim), 1);
}

}  // namespace

TEST_CASE("a module is its projections, norms and rotation around one attention call") {
  Random random(run_options().seed);
  const Module module(random);
  // 600 tokens pass a block of rows; 30 items of 300 keys pass a block of batch items.
  struct Shape {
    std::int64_t batch, q_len, kv_len;
  };
  for (const auto& [batch, q_len, kv_len] : {Shape{2, 600, 40}, Shape{30, 3, 300}, Shape{3, 1, 1}}) {
    const std::vector<float> x_values = normal_values(batch * q_len * Module::channels, random);
    const std::vector<float> context_values = normal_values(batch * kv_len * Module::context_channels, random);
    const ConstTensor x = bhnd(x_values.data(), batch, 1, q_len, Module::channels);
    const ConstTensor context = bhnd(context_values.data(), batch, 1, kv_len, Module::context_channels);
    std::vector<std::int64_t> lengths;
    for (std::int64_t b = 0; b < batch; ++b) lengths.push_back(1 + b * 7 % kv_len);
    Options options{.lengths = lengths};
    const std::vector<double> wanted = expected(module, x, context, options);
    std::vector<float> first;
    for (const int threads : {1, 2, 8}) {
      options.threads = threads;
      std::vector<float> out(wanted.size(), nan);
      const Tensor to = bhnd(out.data(), batch, 1, q_len, Module::outputs);
      std::size_t bytes = 0;
      REQUIRE_EQ(std::string(multi_head_scratch_size(module.view, x, context, to, options, bytes).message()), "");
      std::vector<std::byte> scratch(bytes, std::byte{0xff});
      options.scratch = scratch;
      CHECK_EQ(std::string(multi_head_attention(module.view, x, context, to, options).message()), "");
      CHECK_EQ(difference(out, wanted, 2e-4), "");
      if (first.empty()) first = out;
      CHECK(out == first);

      // The halves give the same to rounding: row counts, and with them oneDNN's code, may differ.
      std::vector<float> k(static_cast<std::size_t>(batch * Module::kv_heads * kv_len * Module::head_dim), nan);
      std::vector<float> v(static_cast<std::size_t>(batch * Module::kv_heads * kv_len * Module::value_dim), nan);
      const Tensor keys = bhnd(k.data(), batch, Module::kv_heads, kv_len, Module::head_dim);
      const Tensor values = bhnd(v.data(), batch, Module::kv_heads, kv_len, Module::value_dim);
      CHECK_EQ(std::string(project_kv(module.view, context, keys, values, threads).message()), "");
      options.scratch = {};
      out.assign(out.size(), nan);
      CHECK_EQ(std::string(attend(module.view, x, keys, values, to, options).message()), "");
      CHECK_EQ(difference(out, wanted, 2e-4), "");
    }
  }
}

TEST_CASE("tokens that all batch items share are projected once, with the same result") {
  Random random(run_options().seed);
  const Module module(random);
  constexpr std::int64_t batch = 3, q_len = 5, kv_len = 9;
  const std::vector<float> points = normal_values(q_len * Module::channels, random);
  const std::vector<float> context_values = normal_values(batch * kv_len * Module::context_channels, random);
  ConstTensor x = bhnd(points.data(), batch, 1, q_len, Module::channels);
  x.strides[0] = 0;
  const ConstTensor context = bhnd(context_values.data(), batch, 1, kv_len, Module::context_channels);
  std::vector<float> out(static_cast<std::size_t>(batch * q_len * Module::outputs), nan);
  const Tensor to = bhnd(out.data(), batch, 1, q_len, Module::outputs);
  CHECK_EQ(std::string(multi_head_attention(module.view, x, context, to).message()), "");
  CHECK_EQ(difference(out, expected(module, x, context, {}), 2e-4), "");
}

TEST_CASE("packed weights give the same to rounding, for few rows and for many") {
  Random random(run_options().seed);
  const Module module(random);
  MultiHeadAttention packed = module.view;
  std::vector<std::vector<std::byte>> memory;
  for (Linear* linear : {&packed.w_q, &packed.w_k, &packed.w_v, &packed.w_o}) {
    std::size_t bytes = 0;
    REQUIRE_EQ(std::string(packed_size(*linear, bytes).message()), "");
    CHECK_EQ(bytes > 0, std::ranges::count(available_paths(), "onednn") == 1);
    auto& own = memory.emplace_back(bytes + 1, std::byte{0xff});
    CHECK_EQ(std::string(pack(*linear, std::span(own).subspan(1)).message()), "");  // at any alignment
    CHECK_EQ(linear->packed != nullptr, bytes > 0);
    if (bytes == 0) continue;
    CHECK_EQ(std::string(pack(*linear, std::span(own).first(bytes - 1)).message()),
             "memory: " + std::to_string(bytes - 1) + " bytes, expected at least " + std::to_string(bytes));
  }
  CHECK(some_outputs(packed.w_q, 0, 6).packed == nullptr);
  for (const std::int64_t q_len : {1, 7, 64, 65, 300}) {
    const std::vector<float> x_values = normal_values(q_len * Module::channels, random);
    const std::vector<float> context_values = normal_values(9 * Module::context_channels, random);
    const ConstTensor x = bhnd(x_values.data(), 1, 1, q_len, Module::channels);
    const ConstTensor context = bhnd(context_values.data(), 1, 1, 9, Module::context_channels);
    std::vector<float> out(static_cast<std::size_t>(q_len * Module::outputs), nan);
    const Tensor to = bhnd(out.data(), 1, 1, q_len, Module::outputs);
    CHECK_EQ(std::string(multi_head_attention(packed, x, context, to).message()), "");
    CHECK_EQ(difference(out, expected(module, x, context, {}), 2e-4), "");
  }
  Linear wrong = module.view.w_o;
  wrong.outputs = -1;
  std::size_t bytes = 0;
  CHECK_EQ(std::string(packed_size(wrong, bytes).message()).substr(0, 7), "linear:");
}

TEST_CASE("mistakes in modules are told, and nothing is written") {
  Random random(run_options().seed);
  Module module(random);
  const std::vector<float> x_values = normal_values(2 * 5 * Module::channels, random);
  const std::vector<float> context_values = normal_values(2 * 4 * Module::context_channels, random);
  const ConstTensor x = bhnd(x_values.data(), 2, 1, 5, Module::channels);
  const ConstTensor context = bhnd(context_values.data(), 2, 1, 4, Module::context_channels);
  std::vector<float> out(2 * 5 * Module::outputs, nan);
  const auto said = [&](const MultiHeadAttention& view, const Options& options = {}) {
    const Tensor to = bhnd(out.data(), 2, 1, 5, Module::outputs);
    return std::string(multi_head_attention(view, x, context, to, options).message());
  };
  MultiHeadAttention view = module.view;
  view.w_o.inputs = 19;
  CHECK_EQ(said(view), "w_o: dimension 1 is 19, expected 20 (q_heads * value_dim)");
  view = module.view;
  view.w_k.outputs = 14;
  CHECK_EQ(said(view), "w_k: dimension 0 is 14, expected 12 (kv_heads * head_dim)");
  view = module.view;
  view.w_q.outputs = 23;
  CHECK_EQ(said(view), "w_q: dimension 0 is 23, expected a multiple of 4 (q_heads)");
  view = module.view;
  view.kv_heads = 3;
  CHECK_EQ(said(view), "kv_heads: 3, expected a divisor of 4 (q_heads)");
  view = module.view;
  view.w_v.weights = nullptr;
  CHECK_EQ(said(view), "w_v: null pointer, expected the address of its elements");
  view = module.view;
  view.q_norm.epsilon = -1.0f;
  CHECK_EQ(said(view), "q_norm: epsilon is -1, expected a finite number, 0 or more");
  view = module.view;
  view.rotation->table.width = 8;
  CHECK_NE(said(view), "");
  CHECK_EQ(said(module.view, {.isa = "none"}).substr(0, 4), "isa:");
  for (const float value : out) CHECK(std::isnan(value));
}

}  // namespace heed::tests
