// SPDX-License-Identifier: Apache-2.0
// SSE2 has no FMA: 7 chains of multiplies and 7 of adds, 4 floats each, in turn. A core with separate
// ports for the two does up to four a cycle, others two.
#include "peak.hpp"

namespace heed::perf {

void heed_peak_baseline(std::int64_t rounds) noexcept {
  const float one[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  const float small[4] = {0x1p-40f, 0x1p-40f, 0x1p-40f, 0x1p-40f};  // too small to change the sum
  asm volatile(
      "movups %[one], %%xmm14\n"
      "movups %[small], %%xmm15\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13\n"
      "movaps %%xmm14, %%xmm\\x\n"
      ".endr\n"
      ".p2align 5\n"
      "1:\n"
      ".rept 4\n"
      "mulps %%xmm14, %%xmm0\n"
      "addps %%xmm15, %%xmm7\n"
      "mulps %%xmm14, %%xmm1\n"
      "addps %%xmm15, %%xmm8\n"
      "mulps %%xmm14, %%xmm2\n"
      "addps %%xmm15, %%xmm9\n"
      "mulps %%xmm14, %%xmm3\n"
      "addps %%xmm15, %%xmm10\n"
      "mulps %%xmm14, %%xmm4\n"
      "addps %%xmm15, %%xmm11\n"
      "mulps %%xmm14, %%xmm5\n"
      "addps %%xmm15, %%xmm12\n"
      "mulps %%xmm14, %%xmm6\n"
      "addps %%xmm15, %%xmm13\n"
      ".endr\n"
      "sub $1, %[rounds]\n"
      "jnz 1b\n"
      : [rounds] "+r"(rounds)
      : [one] "m"(one), [small] "m"(small)
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
}

}  // namespace heed::perf
