// SPDX-License-Identifier: Apache-2.0
// Query scaling with weights of a usual size: the option against the function and against double.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/query_scaling.hpp"
#include "support/checked_call.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> scaled(const std::vector<float>& q, const Dims& shape, const QueryScaling& scaling,
                          const ScaleOptions& options = {}) {
  std::vector<float> out(q.size(), nan);
  const Tensor to = bhnd(out.data(), shape[0], shape[1], shape[2], shape[3]);
  const Status status = scale_queries(bhnd(q.data(), shape[0], shape[1], shape[2], shape[3]), scaling, to, options);
  CHECK_EQ(std::string(status.message()), "");
  return out;
}

std::vector<float> random_values(std::int64_t count, double scale, Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill(values, Fill::normal, random);
  for (float& value : values) value = static_cast<float>(scale * static_cast<double>(value));
  return values;
}

// Random weights of a usual size: hidden 64.
struct Weights {
  Weights(std::int64_t head_dim, std::int64_t base_outputs, std::int64_t gate_outputs, Random& random)
      : w1(random_values(64, 0.5, random)),
        b1(random_values(64, 0.5, random)),
        w2(random_values(64 * base_outputs, 0.1, random)),
        b2(random_values(base_outputs, 0.3, random)),
        g1(random_values(64 * head_dim, 0.2, random)),
        c1(random_values(64, 0.2, random)),
        g2(random_values(64 * gate_outputs, 0.1, random)),
        c2(random_values(gate_outputs, 0.3, random)) {}
  QueryScaling scaling(KeyCounts counts = {}) const { return qassmax({w1, b1, w2, b2}, {g1, c1, g2, c2}, counts); }
  std::vector<float> w1, b1, w2, b2, g1, c1, g2, c2;
};

}  // namespace

TEST_CASE("the option gives what the function gives: the same bits on streaming, near double on every path") {
  struct Shape {
    const char* spec;
    bool has_channel_factors, has_channel_gate;
    enum { one, a_batch_item, a_row } counts;
  };
  const Shape shapes[] = {
      {"b=3 h=4:2 n=61:90 d=16:24 causal position=bottom_right", true, true, Shape::one},
      {"b=2 h=8:1 n=37:120 d=64:64 key_mask=allowed lse", true, true, Shape::a_batch_item},
      {"b=2 h=3:3 n=50:33 d=40:8 q=bnhd lengths", false, true, Shape::a_row},
      {"b=3 h=2:1 n=4:300 d=64:16", true, false, Shape::a_row},
      {"b=1 h=6:2 n=1:5000 d=16:16", false, false, Shape::one},
  };
  for (const Shape& shape : shapes) {
    CAPTURE(std::string(shape.spec));
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(shape.spec, spec), "");
    const perf::Workload workload(spec);
    Call call = call_of(workload);
    const std::int64_t batch = call.q.shape[0], heads = call.q.shape[1];  // Clang captures no structured bindings
    const std::int64_t rows = call.q.shape[2], head_dim = call.q.shape[3];
    Random random(run_options().seed);
    const Weights weights(head_dim, shape.has_channel_factors ? heads * head_dim : heads,
                          shape.has_channel_gate ? head_dim : 1, random);
    std::vector<std::int64_t> counts;
    for (std::int64_t n = 0; n < (shape.counts == Shape::one     ? 0
                                  : shape.counts == Shape::a_row ? batch * rows
                                                                 : batch);
         ++n)
      counts.push_back(1 + n * 37 % 500);
    call.options.query_scaling = weights.scaling(counts.empty() ? KeyCounts{.value = 77} : KeyCounts{.values = counts});
    const Outputs reference = run_call(call, {.path = Path::reference}, 1, true);
    REQUIRE_EQ(std::string(reference.status.message()), "");
    const std::vector<float> wanted = reference.out.values();

    for_each_way([&](const Way& way) {
      CAPTURE(way.text());
      const Outputs given = run_call(call, way, 1, true);
      REQUIRE_EQ(std::string(given.status.message()), "");
      const std::vector<float> out = given.out.values();
      double largest = 0.0;
      for (std::size_t n = 0; n < out.size(); ++n)
        largest = std::max(largest, std::abs(static_cast<double>(out[n]) - static_cast<double>(wanted[n])));
      CHECK(largest < 1e-5);
      for (const int threads : {2, 8})
        CHECK_EQ(first_difference("out", run_call(call, way, threads, true).out.values(), out), "");
      if (way.path != Path::streaming) return;

      std::vector<float> q(static_cast<std::size_t>(batch * heads * rows * head_dim), nan);
      const Tensor to = bhnd(q.data(), batch, heads, rows, head_dim);
      for (const int threads : {1, 2, 8}) {
        const ScaleOptions options = {.threads = threads, .isa = way.isa};
        CHECK_EQ(std::string(scale_queries(call.q, *call.options.query_scaling, to, options).message()), "");
        Call plain = call;
        plain.q = to;
        plain.options.query_scaling.reset();
        const Outputs by_function = run_call(plain, way, 1, true);
        CHECK_EQ(first_difference("out", by_function.out.values(), out), "");
        CHECK_EQ(first_difference("lse", by_function.lse.values(), given.lse.values()), "");
      }
    });
  }
}

TEST_CASE("the scaled query is near double") {
  Random random(run_options().seed);
  const std::int64_t head_dim = 64, rows = 200;
  const Weights weights(head_dim, head_dim, head_dim, random);
  const std::vector<float> q = random_values(rows * head_dim, 1.0, random);
  const auto at = [](const std::vector<float>& values, std::int64_t n) {
    return static_cast<double>(values[static_cast<std::size_t>(n)]);
  };
  const auto gelu = [](double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); };
  const KeyCounts counts = {.value = 1000};
  for_each_isa([&](const std::string& isa) {
    const std::vector<float> plain = scaled(
        q, {1, 1, rows, head_dim}, qassmax({weights.w1, weights.b1, weights.w2, weights.b2}, {}, counts), {.isa = isa});
    const std::vector<float> gated = scaled(q, {1, 1, rows, head_dim}, weights.scaling(counts), {.isa = isa});
    double plain_error = 0.0, gate_error = 0.0;
    for (std::int64_t i = 0; i < rows; ++i) {
      double hidden[64];
      for (std::int64_t j = 0; j < 64; ++j) {
        double sum = at(weights.c1, j);
        for (std::int64_t c = 0; c < head_dim; ++c) sum += at(weights.g1, j * head_dim + c) * at(q, i * head_dim + c);
        hidden[j] = gelu(sum);
      }
      for (std::int64_t c = 0; c < head_dim; ++c) {
        double factor = at(weights.b2, c), gate = at(weights.c2, c);
        for (std::int64_t j = 0; j < 64; ++j) {
          factor += at(weights.w2, c * 64 + j) * gelu(at(weights.w1, j) * std::log(1000.0) + at(weights.b1, j));
          gate += at(weights.g2, c * 64 + j) * hidden[j];
        }
        const double wanted = at(q, i * head_dim + c) * factor;
        plain_error = std::max(plain_error, std::abs(at(plain, i * head_dim + c) / wanted - 1.0));
        gate_error = std::max(gate_error, std::abs(at(gated, i * head_dim + c) / wanted - 1.0 - std::tanh(gate)));
      }
    }
    CHECK(plain_error < std::ldexp(1.0, -23));
    CHECK(gate_error < 2e-6);
  });
}

TEST_CASE("in place is out of place, in any strides") {
  Random random(run_options().seed);
  const Weights weights(20, 3 * 20, 20, random);
  const std::vector<float> q = random_values(2 * 3 * 70 * 20, 1.0, random);
  const QueryScaling scaling = weights.scaling({.value = 500});
  for_each_isa([&](const std::string& isa) {
    const ScaleOptions options = {.isa = isa};
    const std::vector<float> wanted = scaled(q, {2, 3, 70, 20}, scaling, options);
    std::vector<float> values = q;
    const Tensor same = bhnd(values.data(), 2, 3, 70, 20);
    CHECK_EQ(std::string(scale_queries(same, scaling, same, options).message()), "");
    CHECK_EQ(values, wanted);
    // Channels two apart, tokens before heads.
    std::vector<float> spread(values.size() * 2, nan);
    const Tensor to = {spread.data(), {2, 3, 70, 20}, {2 * 70 * 3 * 20, 40, 120, 2}};
    CHECK_EQ(std::string(scale_queries(bhnd(q.data(), 2, 3, 70, 20), scaling, to, options).message()), "");
    for (std::int64_t b = 0, n = 0; b < 2; ++b)
      for (std::int64_t h = 0; h < 3; ++h)
        for (std::int64_t i = 0; i < 70; ++i)
          for (std::int64_t c = 0; c < 20; ++c, ++n)
            REQUIRE_EQ(spread[static_cast<std::size_t>(b * to.strides[0] + h * 40 + i * 120 + c * 2)],
                       wanted[static_cast<std::size_t>(n)]);
  });
}

}  // namespace heed::tests
