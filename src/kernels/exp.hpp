// SPDX-License-Identifier: Apache-2.0
// exp and tanh of vectors: their range, and their error bounds.
#pragma once

#include "kernels/lanes.hpp"

namespace heed {
namespace {

// exp(x) for x <= 88: relative error at most 2 ULP + |x| * 2^-24 (tests/unit/exp_test.cpp); 0 below -87.7,
// where the result would no longer be normal; exp(-inf) = 0 and exp(0) = 1 exactly; NaN stays NaN.
//
// x = n ln 2 + r with n whole and |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds x log2(e), and n + 127 is left in
// the low bits: shifted up it is the float 2^n, and +0 for n = -127. r comes from x, not from the rounded
// product: with FMA its error is the constant's alone, |x| * 2.7e-9. exp(r) is a polynomial of degree 5 whose
// constant is held at 1: relative error 9.2e-8 in exact arithmetic, 1.7e-7 in float.
template <class Arch>
HEED_INLINE Floats<Arch> exp(Floats<Arch> x) {
  using F = Floats<Arch>;
  const F biased_whole(12582912.0f + 127.0f);
  x = at_least<Arch>(x, F(-88.0f));
  const F shifted = fma<Arch>(x, F(1.44269504f), biased_whole);
  const F n = shifted - biased_whole;
  const F r = fma<Arch>(n, F(-0.693147182f), x);
  F p = fma<Arch>(F(8.29027221e-3f), r, F(4.18981612e-2f));
  p = fma<Arch>(p, r, F(0.166676387f));
  p = fma<Arch>(p, r, F(0.499991477f));
  p = fma<Arch>(p, r, F(0.999999702f));
  p = fma<Arch>(p, r, F(1.0f));
  return p * as_floats<Arch>(as_integers<Arch>(shifted) << 23);
}

// tanh(x), any x, absolute error below 1.25e-7 and relative error below 4e-7 (same test). Odd
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
  const F ratio = divide<Arch>(F(1.0f) - e, F(1.0f) + e);
  const F far = xsimd::select(x < F(0.0f), F(0.0f) - ratio, ratio);
  return xsimd::select(magnitude < F(0.625f), near_zero, far);
}

}  // namespace
}  // namespace heed
