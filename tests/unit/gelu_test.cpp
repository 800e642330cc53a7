// SPDX-License-Identifier: Apache-2.0
// GELU of each ISA's own object code against double: a dense sweep and the special values.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {

TEST_CASE("gelu keeps its error bound") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x;
  for (int n = -12 * 4096; n <= 12 * 4096; ++n) x.push_back(static_cast<float>(n) / 4096.0f);
  for (float tiny = 1e-38f; tiny < 1.0f; tiny *= 3.0f) x.insert(x.end(), {tiny, -tiny});
  for_each_isa([&](const std::string& isa) {
    const auto gelu = find_isa(isa)->kernels->parts.gelu;
    std::vector<float> y(x.size(), nan);
    gelu(x.data(), y.data(), x.size());
    double worst = 0.0;  // error of 1 + erf, from which GELU is x / 2 times
    for (std::size_t n = 0; n < x.size(); ++n) {
      const auto value = static_cast<double>(x[n]);
      const double wanted = 0.5 * value * (1.0 + std::erf(value / std::sqrt(2.0)));
      if (value == 0.0)
        CHECK_EQ(y[n], 0.0f);
      else
        worst = std::max(worst, std::abs(static_cast<double>(y[n]) - wanted) / std::abs(0.5 * value));
    }
    CHECK(worst < 3e-7);
    const std::vector<float> special = {nan, infinity, 1e30f, -1e30f};
    std::vector<float> answers(special.size());
    gelu(special.data(), answers.data(), special.size());
    CHECK(std::isnan(answers[0]));
    CHECK_EQ(answers[1], infinity);
    CHECK_EQ(answers[2], 1e30f);
    CHECK_EQ(answers[3], 0.0f);
  });
}

}  // namespace heed::tests
