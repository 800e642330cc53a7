// SPDX-License-Identifier: Apache-2.0
// The loops of x86-64, and its scalar loop. Chosen by the build; peak_aarch64.cpp is the other one.
#include <algorithm>
#include <array>

#include "peak.hpp"

namespace heed::perf {
namespace {

// The instructions of a round as the .rept and .irp of each file have them, and floats per vector.
constexpr PeakLoop avx2 = {"avx2", heed_peak_avx2, 48 * 8 * 2, 24};
constexpr PeakLoop avx512 = {"avx512", heed_peak_avx512, 48 * 16 * 2, 24};
constexpr PeakLoop baseline = {"baseline", heed_peak_baseline, 56 * 4, 28};

constexpr std::array with_fma = {avx2, avx512, baseline};
constexpr std::array without_fma = {baseline};

}  // namespace

std::span<const PeakLoop> peak_loops() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return with_fma;
  return without_fma;
}

void run_scalar_loop(std::int64_t rounds) noexcept {
  std::int64_t a = 0, b = 0, c = 0, d = 0;
  asm volatile(
      ".p2align 5\n"
      "1:\n"
      ".rept 16\n"
      "add $1, %[a]\n"
      "nop\n"
      "add $1, %[b]\n"
      "nop\n"
      "add $1, %[c]\n"
      "nop\n"
      "add $1, %[d]\n"
      "nop\n"
      ".endr\n"
      "sub $1, %[rounds]\n"
      "jnz 1b\n"
      : [rounds] "+r"(rounds), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d)
      :
      : "cc");
}

}  // namespace heed::perf
