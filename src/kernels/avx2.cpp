// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_table_for.hpp"
namespace heed {
extern const KernelTable kernels_avx2;
constexpr KernelTable kernels_avx2 = stub(Isa::avx2, 8);
}
