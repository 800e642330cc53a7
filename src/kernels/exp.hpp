// SPDX-License-Identifier: Apache-2.0
// exp and tanh of vectors: their range, and their error bounds.
#pragma once

#include "kernels/lanes.hpp"

namespace heed {
namespace {

inline constexpr float log2_e = 1.44269504f;

// 2^t for t <= 127, |error| at most 2 ULP; from 0 to the true value below the smallest normal result;
// 2^-inf = 0 exactly; NaN stays NaN.
//
// t = n + f with n whole and |f| <= 1/2. 2^f is a polynomial of degree 5 whose constant is held at 1, so
// that 2^0 = 1: relative error 9.1e-8 in exact arithmetic, 2.1e-7 in float. Adding 1.5 * 2^23 rounds t
// and leaves n in the low bits, ready to be shifted into the exponent.
template <class Arch>
HEED_INLINE Floats<Arch> exp2(Floats<Arch> t) {
  using F = Floats<Arch>;
  const F round_to_whole(12582912.0f);
  // At -127 the exponent field of 1.0 becomes 0: +0. A clamp at -126 would leave the smallest normal
  // number for minus infinity.
  t = at_least<Arch>(t, F(-127.0f));
  const F shifted = t + round_to_whole;
  const F f = t - (shifted - round_to_whole);
  F p = fma<Arch>(F(1.32647272e-3f), f, F(9.67151268e-3f));
  p = fma<Arch>(p, f, F(5.55073374e-2f));
  p = fma<Arch>(p, f, F(2.40222421e-1f));
  p = fma<Arch>(p, f, F(6.93146978e-1f));
  p = fma<Arch>(p, f, F(1.0f));
  return as_floats<Arch>(as_integers<Arch>(p) + (as_integers<Arch>(shifted) << 23));
}

// exp(x) for x <= 88, relative error at most 2 ULP + 1.25 |x| * 2^-24 (tests/unit/exp_test.cpp): half an
// ULP of the product and the 1.3e-8 by which log2_e is off. A second constant would cost one more FMA.
template <class Arch>
HEED_INLINE Floats<Arch> exp(Floats<Arch> x) {
  return exp2<Arch>(x * Floats<Arch>(log2_e));
}

// tanh(x), any x, absolute error below 1.2e-7 and relative error below 4e-7 (same test). Odd
// polynomial near 0, where 1 - exp would cancel; tanh = (1 - e) / (1 + e), e = exp(-2|x|), elsewhere.
template <class Arch>
HEED_INLINE Floats<Arch> tanh(Floats<Arch> x) {
  using F = Floats<Arch>;
  const F magnitude = xsimd::abs(x);
  const F square = x * x;
  F p = fma<Arch>(F(-5.70498872745e-3f), square, F(2.06390887954e-2f));
  p = fma<Arch>(p, square, F(-5.37397155531e-2f));
  p = fma<Arch>(p, square, F(1.33314422036e-1f));
  p = fma<Arch>(p, square, F(-3.33332819422e-1f));
  const F near_zero = fma<Arch>(p * square, x, x);
  const F e = exp<Arch>(magnitude * F(-2.0f));
  const F ratio = (F(1.0f) - e) / (F(1.0f) + e);
  const F far = xsimd::select(x < F(0.0f), F(0.0f) - ratio, ratio);
  return xsimd::select(magnitude < F(0.625f), near_zero, far);
}

}  // namespace
}  // namespace heed
