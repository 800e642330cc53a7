// SPDX-License-Identifier: Apache-2.0
// Kernels for 64-bit Arm; flags in src/meson.build.
#include "kernels/kernel_table_for.hpp"

namespace heed {

extern const KernelTable kernels_neon64;
constexpr KernelTable kernels_neon64 = kernel_table_for<xsimd::neon64>(Isa::neon64);

}  // namespace heed
