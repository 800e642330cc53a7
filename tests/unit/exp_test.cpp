// SPDX-License-Identifier: Apache-2.0
// exp and tanh of each ISA's own object code against double: a dense sweep, every bit pattern in a
// stride, and the special values.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr auto smallest_normal = static_cast<double>(std::numeric_limits<float>::min());

// A coprime stride over bit patterns meets every exponent and every low bit.
constexpr std::uint32_t stride = 1031;

std::vector<float> exp_arguments() {
  std::vector<float> x;
  for (int n = -104 * 1024; n <= 11 * 1024; ++n) x.push_back(static_cast<float>(n) / 1024.0f);
  for (std::uint64_t bits = 0x80000000u; bits <= 0xFF800000u; bits += stride)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(11.1f); bits += stride)
    x.push_back(std::bit_cast<float>(bits));
  return x;
}

std::vector<float> tanh_arguments() {
  std::vector<float> x;
  for (std::uint32_t bits = 0; bits <= 0x7F800000u; bits += stride) {
    x.push_back(std::bit_cast<float>(bits));
    x.push_back(-x.back());
  }
  return x;
}

struct Worst {
  double error = 0.0;
  float x = 0.0f, got = 0.0f;
};

}  // namespace

TEST_CASE("exp keeps its error bound") {
  const std::vector<float> x = exp_arguments();
  std::vector<double> wanted;
  for (const float value : x) wanted.push_back(std::exp(static_cast<double>(value)));
  for_each_isa([&](const std::string& isa) {
    std::vector<float> y(x.size(), nan);
    find_isa(isa)->kernels->parts.exp(x.data(), y.data(), x.size());
    Worst worst;  // error as a share of the bound
    int bad_underflows = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const auto got = static_cast<double>(y[n]);
      if (wanted[n] < smallest_normal) {
        bad_underflows += got >= 0.0 && got <= 1.1 * wanted[n] ? 0 : 1;
        continue;
      }
      const double bound = wanted[n] * (2.0 * 0x1p-23 + std::abs(static_cast<double>(x[n])) * 0x1p-24);
      const double error =
          std::isnan(got) ? std::numeric_limits<double>::infinity() : std::abs(got - wanted[n]) / bound;
      if (error > worst.error) worst = {error, x[n], y[n]};
    }
    CAPTURE(isa);
    CAPTURE(worst.x);
    CAPTURE(worst.got);
    CHECK(worst.error <= 1.0);
    CHECK_EQ(bad_underflows, 0);
  });
}

TEST_CASE("exp of special values") {
  for_each_isa([](const std::string& isa) {
    const float x[] = {0.0f, -0.0f, -infinity, nan, -nan, -1000.0f, std::numeric_limits<float>::lowest()};
    float y[std::size(x)];
    find_isa(isa)->kernels->parts.exp(x, y, std::size(x));
    CAPTURE(isa);
    CHECK_EQ(y[0], 1.0f);
    CHECK_EQ(y[1], 1.0f);
    CHECK_EQ(std::bit_cast<std::uint32_t>(y[2]), 0u);
    CHECK(std::isnan(y[3]));
    CHECK(std::isnan(y[4]));
    CHECK_EQ(y[5], 0.0f);
    CHECK_EQ(y[6], 0.0f);
  });
}

TEST_CASE("exp writes as many values as it is asked for") {
  for_each_isa([](const std::string& isa) {
    for (std::size_t count = 0; count <= 35; ++count) {
      const std::vector<float> x(count, -1.0f);
      std::vector<float> y(count + 1, 7.0f);
      find_isa(isa)->kernels->parts.exp(x.data(), y.data(), count);
      CAPTURE(isa);
      CHECK_EQ(y[count], 7.0f);
      for (std::size_t n = 0; n < count; ++n) CHECK_EQ(y[n], doctest::Approx(0.36787944).epsilon(1e-6));
    }
  });
}

TEST_CASE("tanh keeps its error bound") {
  const std::vector<float> x = tanh_arguments();
  for_each_isa([&](const std::string& isa) {
    std::vector<float> y(x.size(), nan);
    find_isa(isa)->kernels->parts.tanh(x.data(), y.data(), x.size());
    Worst absolute, relative;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const double wanted = std::tanh(static_cast<double>(x[n]));
      const double error =
          std::isnan(y[n]) ? std::numeric_limits<double>::infinity() : std::abs(static_cast<double>(y[n]) - wanted);
      if (error > absolute.error) absolute = {error, x[n], y[n]};
      if (std::abs(wanted) < smallest_normal) continue;
      if (error / std::abs(wanted) > relative.error) relative = {error / std::abs(wanted), x[n], y[n]};
    }
    CAPTURE(isa);
    CAPTURE(absolute.x);
    CAPTURE(relative.x);
    CAPTURE(relative.got);
    CHECK(absolute.error <= 1.25e-7);
    CHECK(relative.error <= 4e-7);
  });
}

TEST_CASE("tanh of special values") {
  for_each_isa([](const std::string& isa) {
    const float x[] = {0.0f, -0.0f, infinity, -infinity, nan};
    float y[std::size(x)];
    find_isa(isa)->kernels->parts.tanh(x, y, std::size(x));
    CAPTURE(isa);
    CHECK_EQ(y[0], 0.0f);
    CHECK_EQ(y[1], 0.0f);
    CHECK_EQ(y[2], 1.0f);
    CHECK_EQ(y[3], -1.0f);
    CHECK(std::isnan(y[4]));
  });
}

TEST_CASE("the build keeps NaN and infinity") {
  // Under flags such as -ffast-math the compiler may fold these to the wrong answer.
  volatile float zero = 0.0f;
  CHECK(std::isnan(zero / zero));
  CHECK(std::isinf(1.0f / zero));
  CHECK(std::isnan(infinity - static_cast<float>(1.0f / zero)));
}

}  // namespace heed::tests
