// SPDX-License-Identifier: Apache-2.0
// The README's module: with queries of zero every token weighs alike, and what comes out is the mean of the values,
// here twice the tokens, in the order that the output projection puts them: the last channel first.
#include "readme_module.hpp"

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  constexpr std::int64_t channels = 512, batch = 2, tokens = 5;
  std::vector<float> w_qkv(3 * channels * channels, 0.0f), w_o(channels * channels, 0.0f);
  for (std::size_t c = 0; c < channels; ++c) {
    w_qkv[(2 * channels + c) * channels + c] = 2.0f;
    w_o[c * channels + (channels - 1 - c)] = 1.0f;
  }
  std::vector<float> x(batch * tokens * channels), out(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n * 37 % 101) / 64.0f;
  const heed::Status status = self_attention(w_qkv.data(), w_o.data(), x.data(), out.data(), batch, tokens);
  if (!status.ok()) std::cerr << status.message() << '\n';
  double worst = 0.0;
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t c = 0; c < channels; ++c) {
      double mean = 0.0;
      for (std::size_t n = 0; n < tokens; ++n)
        mean += 2.0 / tokens * static_cast<double>(x[(b * tokens + n) * channels + channels - 1 - c]);
      for (std::size_t n = 0; n < tokens; ++n)
        worst = std::fmax(worst, std::abs(static_cast<double>(out[(b * tokens + n) * channels + c]) - mean));
    }
  if (!(worst < 1e-5)) std::cerr << "off by " << worst << '\n';
  return status.ok() && worst < 1e-5 ? 0 : 1;
}
