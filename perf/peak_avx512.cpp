// SPDX-License-Identifier: Apache-2.0
// 24 independent FMA chains of 16 floats; see peak_avx2.cpp.
#include "peak.hpp"

namespace heed::perf {

void heed_peak_avx512(std::int64_t rounds) noexcept {
  const float factor = 0.75f, added = 0.25f;
  asm volatile(
      "vbroadcastss %[factor], %%zmm30\n"
      "vbroadcastss %[added], %%zmm31\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
      "vmovaps %%zmm30, %%zmm\\x\n"
      ".endr\n"
      ".p2align 5\n"
      "1:\n"
      ".rept 2\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
      "vfmadd213ps %%zmm31, %%zmm30, %%zmm\\x\n"
      ".endr\n"
      ".endr\n"
      "sub $1, %[rounds]\n"
      "jnz 1b\n"
      "vzeroupper\n"
      : [rounds] "+r"(rounds)
      : [factor] "m"(factor), [added] "m"(added)
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm30",
        "xmm31");
}

}  // namespace heed::perf
