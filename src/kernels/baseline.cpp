// SPDX-License-Identifier: Apache-2.0
// Kernels for what every CPU of the architecture has: SSE2 on x86-64, Advanced SIMD on 64-bit Arm.
#include "kernels/kernel_table_for.hpp"

namespace heed {

extern const KernelTable kernels_baseline;
constexpr KernelTable kernels_baseline = kernel_table_for<xsimd::default_arch>(Isa::baseline);

}  // namespace heed
