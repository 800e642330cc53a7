// SPDX-License-Identifier: Apache-2.0
// 12 independent FMA chains of 8 floats: two a cycle at a latency of 4 or 5 need 8 or 10. x = x * a + b
// stays near 1, so that operands are ordinary numbers.
#include "peak.hpp"

namespace heed::perf {

void heed_peak_avx2(std::int64_t rounds) noexcept {
  const float factor = 0.75f, added = 0.25f;
  asm volatile(
      "vbroadcastss %[factor], %%ymm14\n"
      "vbroadcastss %[added], %%ymm15\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11\n"
      "vmovaps %%ymm14, %%ymm\\x\n"
      ".endr\n"
      ".p2align 5\n"
      "1:\n"
      ".rept 4\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11\n"
      "vfmadd213ps %%ymm15, %%ymm14, %%ymm\\x\n"
      ".endr\n"
      ".endr\n"
      "sub $1, %[rounds]\n"
      "jnz 1b\n"
      "vzeroupper\n"
      : [rounds] "+r"(rounds)
      : [factor] "m"(factor), [added] "m"(added)
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm14",
        "xmm15");
}

}  // namespace heed::perf
