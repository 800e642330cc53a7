// SPDX-License-Identifier: Apache-2.0
// Parts of a row's keys in one softmax, in double and in the order of the parts:
//
//   m = max m_p     l = sum of l_p exp(m_p - m)     share_p = exp(m_p - m) / l     lse = m + log(l)
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace heed {

// A part's row sum, relative to a reference; 0: the part saw nothing.
struct PartSoftmax {
  double reference, sum;
};

// Fills shares, one for each part, with what its undivided out is multiplied by; answers lse.
template <class Part>
double share_out(std::span<double> shares, Part part) {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  double reference = minus_infinity;
  for (std::size_t p = 0; p < shares.size(); ++p)
    if (const PartSoftmax softmax = part(p); softmax.sum != 0.0) reference = std::fmax(reference, softmax.reference);
  double sum = 0.0;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const PartSoftmax softmax = part(p);
    shares[p] = softmax.sum == 0.0 ? 0.0 : std::exp(softmax.reference - reference);
    sum += shares[p] * softmax.sum;
  }
  if (sum == 0.0) return minus_infinity;
  for (double& share : shares) share /= sum;
  return reference + std::log(sum);
}

}  // namespace heed
