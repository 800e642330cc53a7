// SPDX-License-Identifier: Apache-2.0
// merge(): answers worked out by hand, against one call over all keys, and what it says to mistakes.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/merge.hpp"
#include "support/compare.hpp"
#include "support/small_call.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Rows of one channel, with one number a part each.
struct Rows {
  std::vector<float> out, lse;
};
struct Merged {
  Status status;
  std::vector<float> out, lse;
};
Merged merged(const std::vector<Rows>& rows) {
  const auto count = static_cast<std::int64_t>(rows.front().out.size());
  std::vector<PartialResult> parts;
  for (const Rows& part : rows)
    parts.push_back({bhnd(part.out.data(), 1, 1, count, 1), bhnd(part.lse.data(), 1, 1, count, 1)});
  Merged result{{}, std::vector<float>(rows.front().out.size(), nan), std::vector<float>(rows.front().out.size(), nan)};
  result.status = merge(parts, bhnd(result.out.data(), 1, 1, count, 1), bhnd(result.lse.data(), 1, 1, count, 1));
  return result;
}

}  // namespace

TEST_CASE("shares of the parts follow their lse") {
  // Shares 1/2 and 1/2; 3/4 and 1/4; one part alone; the first outweighs the second.
  const float log_3 = std::log(3.0f);
  const Merged result = merged({{{1, 1, 5, 7}, {2, log_3, -infinity, 300}}, {{3, 5, 6, 8}, {2, 0, 40, -300}}});
  REQUIRE(result.status.ok());
  CHECK_EQ(result.out[0], 2.0f);
  CHECK(result.out[1] == doctest::Approx(2.0f));
  CHECK_EQ(result.out[2], 6.0f);
  CHECK_EQ(result.out[3], 7.0f);
  CHECK(result.lse[0] == doctest::Approx(2.0 + std::log(2.0)));
  CHECK(result.lse[1] == doctest::Approx(std::log(4.0)));
  CHECK_EQ(result.lse[2], 40.0f);
  CHECK_EQ(result.lse[3], 300.0f);
}

TEST_CASE("parts that saw nothing add nothing, whatever their out holds") {
  const Merged result = merged({{{0, nan, 0}, {-infinity, -infinity, -infinity}},
                                {{4, 5, 0}, {1, -2, -infinity}},
                                {{0, infinity, nan}, {-infinity, -infinity, -infinity}}});
  REQUIRE(result.status.ok());
  CHECK_EQ(result.out, std::vector<float>{4, 5, 0});
  CHECK_EQ(result.lse, std::vector<float>{1, -2, -infinity});
}

TEST_CASE("NaN and lse of plus infinity reach the row, and no other") {
  const Merged result = merged({{{nan, 1, 1, 1}, {0, nan, infinity, 0}}, {{1, 1, 1, 1}, {0, 0, 0, 0}}});
  REQUIRE(result.status.ok());
  for (const std::size_t row : {0u, 1u, 2u}) CHECK(std::isnan(result.out[row]));
  CHECK_EQ(result.out[3], 1.0f);
}

TEST_CASE("merged parts are what one call over all keys gives, in any strides and number of parts") {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec("b=2 h=4:2 n=5:90 d=16:24 bias=1:4:5:90 bias_hidden=60", spec), "");
  const perf::Workload workload(spec);
  const Call call = call_of(workload);
  for_each_way([&](const Way& way) {
    const Outputs whole = run_call(call, way, 1, true);
    for (const std::int64_t keys : {1, 7, 40, 90}) {
      std::vector<Outputs> results;
      for (std::int64_t first = 0; first < 90; first += keys) {
        Call part = call;
        const auto take = [&](ConstTensor& tensor, std::size_t dimension) {
          tensor.data = static_cast<const float*>(tensor.data) + first * tensor.strides[dimension];
          tensor.shape[dimension] = std::min(keys, 90 - first);
        };
        take(part.k, 2);
        take(part.v, 2);
        take(*part.options.bias, 3);
        part.out_strides = bnhd_strides(4, 5, 24);
        results.push_back(run_call(part, way, 1, true));
        REQUIRE(results.back().status.ok());
      }
      std::vector<PartialResult> parts;
      for (const Outputs& result : results) parts.push_back({result.out.tensor(), result.lse.tensor()});
      GuardedTensor out(call.out_shape(), Storage::bnhd), lse(call.lse_shape(), Storage::bhnd);
      REQUIRE_EQ(std::string(merge(parts, out.tensor(), lse.tensor()).message()), "");
      CAPTURE(way.text());
      CAPTURE(keys);
      for_each_element(out.shape(), [&](auto b, auto h, auto i, auto c) {
        const double is = static_cast<double>(out.at(b, h, i, c)), was = static_cast<double>(whole.out.at(b, h, i, c));
        REQUIRE(std::abs(is - was) < 3e-6);
        const double is_lse = static_cast<double>(lse.at(b, h, i, 0));
        const double was_lse = static_cast<double>(whole.lse.at(b, h, i, 0));
        REQUIRE((is_lse == was_lse || std::abs(is_lse - was_lse) < 3e-6));
      });
    }
  });
}

TEST_CASE("mistakes name the part, and nothing is written") {
  float numbers[8] = {}, results[4] = {9, 9, 9, 9};
  const float* const from = numbers;
  const PartialResult good{bhnd(from, 1, 1, 2, 2), bhnd(from + 4, 1, 1, 2, 1)};
  const Tensor out = bhnd(results, 1, 1, 2, 2);
  const auto message = [&](const PartialResult& second) {
    const PartialResult parts[] = {good, second};
    const Status status = merge(parts, out);
    CHECK_EQ(results[0], 9.0f);
    return std::string(status.message());
  };
  CHECK_EQ(message({bhnd(from, 1, 1, 2, 1), good.lse}), "parts[1].out: dimension 3 is 1, expected 2 (channels of out)");
  CHECK_EQ(message({good.out, bhnd(from, 1, 1, 1, 1)}), "parts[1].lse: dimension 2 is 1, expected 2 (tokens of out)");
  CHECK_EQ(message({bhnd(static_cast<const float*>(nullptr), 1, 1, 2, 2), good.lse}).substr(0, 13), "parts[1].out:");
  CHECK(message({bhnd(static_cast<const float*>(results), 1, 1, 2, 2), good.lse}).find("parts[1].out") !=
        std::string::npos);
  CHECK_EQ(merge({}, out).code(), StatusCode::bad_size);
}

}  // namespace heed::tests
