// SPDX-License-Identifier: Apache-2.0
// The loops of AArch64, where baseline has FMA too, and its scalar loop. Chosen by the build.
#include <array>

#include "peak.hpp"

namespace heed::perf {
namespace {

constexpr std::array loops = {PeakLoop{"neon64", heed_peak_neon64, 48 * 4 * 2, 24},
                              PeakLoop{"baseline", heed_peak_neon64, 48 * 4 * 2, 24}};

}  // namespace

std::span<const PeakLoop> peak_loops() { return loops; }

void run_scalar_loop(std::int64_t rounds) noexcept {
  std::int64_t a = 0, b = 0, c = 0, d = 0;
  asm volatile(
      ".p2align 4\n"
      "1:\n"
      ".rept 16\n"
      "add %[a], %[a], #1\n"
      "nop\n"
      "add %[b], %[b], #1\n"
      "nop\n"
      "add %[c], %[c], #1\n"
      "nop\n"
      "add %[d], %[d], #1\n"
      "nop\n"
      ".endr\n"
      "subs %[rounds], %[rounds], #1\n"
      "b.ne 1b\n"
      : [rounds] "+r"(rounds), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d)
      :
      : "cc");
}

}  // namespace heed::perf
