// SPDX-License-Identifier: Apache-2.0
// Peak memory of the oneDNN path at 8 heads of 16384 x 16384 scores, which as a whole would be 8 GiB: the
// budget of heed/attention.hpp and 16 MiB for oneDNN itself. A process of its own, since peaks don't go down.
#include <sys/resource.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "heed/attention.hpp"

namespace {

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main() {
  constexpr std::int64_t heads = 8, tokens = 16384, channels = 64;
  constexpr long budget_kib = 8 * 1024, own_kib = 16 * 1024;
  const std::vector<float> x(static_cast<std::size_t>(heads * tokens * channels), 0.125f);
  std::vector<float> out(x.size(), 1.0f);
  const heed::ConstTensor input = heed::bhnd(x.data(), 1, heads, tokens, channels);
  const long before = peak_kib();
  const heed::Status status = heed::attention(input, input, input, heed::bhnd(out.data(), 1, heads, tokens, channels),
                                              {.threads = 1, .path = heed::Path::onednn});
  const long extra = peak_kib() - before;
  const bool is_right = status.ok() && out.front() > 0.1249f && out.back() < 0.1251f;
  std::printf("%s: %ld KiB beyond the tensors, expected less than %ld\n", is_right ? "right" : status.message(), extra,
              budget_kib + own_kib);
  return is_right && extra < budget_kib + own_kib ? 0 : 1;
}
