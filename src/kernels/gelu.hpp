// SPDX-License-Identifier: Apache-2.0
// erf and GELU of vectors, with their error bounds.
#pragma once

#include "kernels/exp.hpp"

namespace heed {
namespace {

// erf(x), any x: absolute error below 1.8e-7 (1 + erf in float: 3e-7, tests/unit/gelu_test.cpp). Odd polynomial near 0,
// where 1 - exp would cancel: relative error 1.7e-8 in exact arithmetic. Elsewhere 1 - exp(-p(|x|)), p a polynomial for
// -log(1 - erf); from 4 on, erf is 1 in float.
template <class Arch>
HEED_INLINE Floats<Arch> erf(Floats<Arch> x) {
  using F = Floats<Arch>;
  const F magnitude = xsimd::abs(x);
  const F square = x * x;
  F near_zero = fma<Arch>(F(-5.97657869e-4f), square, F(4.99041053e-3f));
  near_zero = fma<Arch>(near_zero, square, F(-2.67647523e-2f));
  near_zero = fma<Arch>(near_zero, square, F(1.12817653e-1f));
  near_zero = fma<Arch>(near_zero, square, F(-3.76124889e-1f));
  near_zero = fma<Arch>(near_zero, square, F(1.12837911f)) * x;
  // The select keeps a NaN, which min() may not.
  const F t = xsimd::select(magnitude > F(4.0f), F(4.0f), magnitude);
  F p = fma<Arch>(F(-1.95362940e-4f), t, F(3.03757680e-3f));
  p = fma<Arch>(p, t, F(-2.22044047e-2f));
  p = fma<Arch>(p, t, F(1.03884823e-1f));
  p = fma<Arch>(p, t, F(6.37235641e-1f));
  p = fma<Arch>(p, t, F(1.12764382f));
  p = fma<Arch>(p, t, F(2.03370873e-4f));
  const F share = F(1.0f) - exp<Arch>(F(0.0f) - p);
  const F far = xsimd::select(x < F(0.0f), F(0.0f) - share, share);
  return xsimd::select(magnitude < F(0.925f), near_zero, far);
}

// The exact form, x times the normal distribution function. The form with tanh is off by up to 4.7e-4.
template <class Arch>
HEED_INLINE Floats<Arch> gelu(Floats<Arch> x) {
  using F = Floats<Arch>;
  const F half = x * F(0.5f);
  return fma<Arch>(half, erf<Arch>(x * F(0.707106781f)), half);
}

}  // namespace
}  // namespace heed
