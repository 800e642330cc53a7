// SPDX-License-Identifier: Apache-2.0
// Kernels for x86 with AVX2 and FMA; flags in src/meson.build.
#include "kernels/kernel_table_for.hpp"

namespace heed {

extern const KernelTable kernels_avx2;
constexpr KernelTable kernels_avx2 = kernel_table_for<xsimd::fma3<xsimd::avx2>>(Isa::avx2);

}  // namespace heed
