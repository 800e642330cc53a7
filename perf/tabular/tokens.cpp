// SPDX-License-Identifier: Apache-2.0
#include "tabular/tokens.hpp"

#include <cmath>

namespace heed::perf {

void normalise(const TokenView& x, const TokenView& y) {
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t n = 0; n < x.tokens; ++n) {
      const float* const from = x.row(b, n);
      float* const to = y.row(b, n);
      float squares = 0.0f;
      for (std::int64_t c = 0; c < x.channels; ++c) squares += from[c] * from[c];
      const float factor = 1.0f / std::sqrt(squares / static_cast<float>(x.channels) + 0x1p-23f);
      for (std::int64_t c = 0; c < x.channels; ++c) to[c] = from[c] * factor;
    }
}

void add(const TokenView& x, const TokenView& y) {
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t n = 0; n < x.tokens; ++n) {
      float* const to = x.row(b, n);
      const float* const from = y.row(y.batch == 1 ? 0 : b, n);
      for (std::int64_t c = 0; c < x.channels; ++c) to[c] += from[c];
    }
}

}  // namespace heed::perf
