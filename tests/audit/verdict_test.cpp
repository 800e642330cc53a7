// SPDX-License-Identifier: Apache-2.0
// The verdicts can fail: planted errors of each kind are found, at their place.
#include <doctest/doctest.h>

#include <limits>

#include "audit/path_run.hpp"
#include "audit_run.hpp"

namespace heed::tests {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t batch = 2, heads = 3, tokens = 7, channels = 4;
constexpr Dims weights_strides = bhnd_strides(heads, tokens, tokens);

// Causal self-attention in files, with its own weights as the reference path has them.
struct Causal {
  Folder folder;
  audit::Arguments arguments;
  std::vector<float> weights = std::vector<float>(batch * heads * tokens * tokens);
  std::vector<float> out = std::vector<float>(batch * heads * tokens * channels);

  Causal() {
    std::uint32_t seed = 0;
    for (audit::FileArgument* file : {&arguments.q, &arguments.k, &arguments.v}) {
      file->path = folder.file(std::string(file->option + 2) + ".npy");
      write(file->path, normal({batch, heads, tokens, channels}, ++seed));
    }
    arguments.causal = true;
    const audit::Call call(arguments);
    Options options = call.whole().options;
    options.path = Path::reference;
    options.weights = bhnd(weights.data(), batch, heads, tokens, tokens);
    REQUIRE(attention(call.whole().q, call.whole().k, call.whole().v, bhnd(out.data(), batch, heads, tokens, channels),
                      options)
                .ok());
  }

  float& weight(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
    return weights[static_cast<std::size_t>(((b * heads + h) * tokens + i) * tokens + j)];
  }
  audit::WeightsFound look() const {
    const audit::Call call(arguments);
    return audit::look_at_weights(call, audit::AllRowFacts(call, 1), {weights.data(), weights_strides});
  }
  AuditRun run(const Arguments& more) const {
    return run_audit(Arguments{"--q", arguments.q.path, "--k", arguments.k.path, "--v", arguments.v.path, "--causal"} +
                     more);
  }
};

}  // namespace

TEST_CASE("weights: right ones hold, and each planted error is found") {
  Causal causal;
  audit::WeightsFound found = causal.look();
  CHECK(found.sums_hold());
  CHECK(found.hidden_hold());
  CHECK(found.rows == batch * heads * tokens);

  causal.weight(1, 2, 3, 4) = 1e-30f;
  found = causal.look();
  CHECK(found.sums_hold());
  CHECK_FALSE(found.hidden_hold());
  CHECK(found.hidden_weight == doctest::Approx(1e-30));

  causal.weight(1, 2, 3, 4) = nan;
  CHECK_FALSE(causal.look().hidden_hold());
  CHECK_FALSE(causal.look().sums_hold());

  causal.weight(1, 2, 3, 4) = 0.0f;
  causal.weight(0, 1, 6, 2) += 2e-6f;
  found = causal.look();
  CHECK(found.hidden_hold());
  CHECK_FALSE(found.sums_hold());
  CHECK(found.worst_sum.b == 0);
  CHECK(found.worst_sum.h == 1);
  CHECK(found.worst_sum.i == 6);
}

TEST_CASE("weights: a row that sees nothing sums to 0, and a row of NaN scores is not judged") {
  Causal causal;
  causal.arguments.position = Position::offset(-1);  // row 0 sees nothing
  CHECK_FALSE(causal.look().sums_hold());
  Array<float> q = read<float>(causal.arguments.q.path);
  q.values[0] = nan;
  causal.arguments.position = {};
  write(causal.arguments.q.path, q);
  CHECK(causal.look().rows == batch * heads * tokens - 1);
}

TEST_CASE("an expected answer that is off by more than the bound fails, at its place") {
  const Causal causal;
  const std::string expect = causal.folder.file("expect.npy"), report = causal.folder.file("report.json");
  Array<float> answer{{batch, heads, tokens, channels}, causal.out};
  write(expect, answer);
  CHECK(causal.run({"--expect", expect}).status == audit::exit_ok);

  const std::size_t place = ((1 * heads + 2) * tokens + 5) * channels + 3;
  for (const float wrong : {causal.out[place] + 1e-3f, nan, std::numeric_limits<float>::infinity()}) {
    CAPTURE(wrong);
    answer.values[place] = wrong;
    write(expect, answer);
    const AuditRun run = causal.run({"--expect", expect, "--json", report});
    CHECK(run.status == audit::exit_verdict);
    CHECK(run.out.find("FAIL") != std::string::npos);
    const auto json = json_of(report);
    CHECK(json.at("verdict") == "fail");
    for (const auto& path : json.at("paths")) {
      CHECK(path.at("verdict") == "fail");
      CHECK(path.at("failures").size() == 1);
      CHECK(path.at("expect").at("worst") == nlohmann::json({1, 2, 5, 3}));
      CHECK(path.at("out").at("of_bound") <= 1.0);
    }
  }
}

TEST_CASE("a path whose answer is off is told from the reference") {
  const Causal causal;
  const audit::Call call(causal.arguments);
  const audit::AllRowFacts facts(call, 1);
  const audit::PathRunner runner(call, facts);
  audit::Outputs reference, outputs;
  CHECK(runner.run(Path::reference, nullptr, false, reference).is_ok());
  CHECK(runner.run(Path::streaming, &reference, false, outputs).is_ok());
  reference.out[10] += 1e-3f;
  reference.lse[20] = nan;
  const audit::PathReport report = runner.run(Path::streaming, &reference, false, outputs);
  REQUIRE(report.failures.size() == 2);
  CHECK(report.failures[0].starts_with("out against the reference path: off by 0.001 at (0,0,2,2)"));
  CHECK(report.failures[1].starts_with("lse against the reference path: off by inf at (0,2,6,0)"));
}

TEST_CASE("distances: NaN agrees with NaN and with nothing else") {
  using audit::distance, audit::share_of_bound;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(distance(1.0, 1.5) == 0.5);
  CHECK(distance(not_a_number, not_a_number) == 0.0);
  CHECK(distance(-infinity, -infinity) == 0.0);
  CHECK(distance(-infinity, infinity) == infinity);
  CHECK(distance(not_a_number, 1.0) == infinity);
  CHECK(share_of_bound(0.0, not_a_number) == 0.0);
  CHECK(share_of_bound(1.0, infinity) == 0.0);
  CHECK(share_of_bound(infinity, infinity) == infinity);
  CHECK(share_of_bound(2.0, 1.0) == 2.0);
}

}  // namespace heed::tests
