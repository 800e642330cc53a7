// SPDX-License-Identifier: Apache-2.0
// 24 independent FMA chains of 4 floats: enough for four a cycle at a latency of 4 and for two at 8.
#include "peak.hpp"

namespace heed::perf {

void heed_peak_neon64(std::int64_t rounds) noexcept {
  asm volatile(
      "fmov v30.4s, #0.5\n"
      "fmov v31.4s, #0.25\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
      "movi v\\x\\().4s, #0\n"
      ".endr\n"
      ".p2align 4\n"
      "1:\n"
      ".rept 2\n"
      ".irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
      "fmla v\\x\\().4s, v30.4s, v31.4s\n"
      ".endr\n"
      ".endr\n"
      "subs %[rounds], %[rounds], #1\n"
      "b.ne 1b\n"
      : [rounds] "+r"(rounds)
      :
      : "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
        "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31");
}

}  // namespace heed::perf
