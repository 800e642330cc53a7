// SPDX-License-Identifier: Apache-2.0
// Kernels for x86 with AVX-512 F, CD, BW, DQ and VL; flags in src/meson.build.
#include "kernels/kernel_table_for.hpp"

namespace heed {

extern const KernelTable kernels_avx512;
constexpr KernelTable kernels_avx512 = kernel_table_for<xsimd::avx512bw>(Isa::avx512);

}  // namespace heed
