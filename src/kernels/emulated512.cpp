// SPDX-License-Identifier: Apache-2.0
// Kernels for 16 lanes in plain C++: what avx512 does, for tests on machines without it. Not in a
// default build; src/meson.build says how to ask for it.
#include "kernels/kernel_table_for.hpp"

namespace heed {

extern const KernelTable kernels_emulated512;
constexpr KernelTable kernels_emulated512 = kernel_table_for<xsimd::emulated<512>>(Isa::emulated512);

}  // namespace heed
