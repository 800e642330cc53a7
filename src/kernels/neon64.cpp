// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_table_for.hpp"
namespace heed {
extern const KernelTable kernels_neon64;
constexpr KernelTable kernels_neon64 = stub(Isa::neon64, 4);
}
