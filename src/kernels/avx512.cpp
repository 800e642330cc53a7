// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_table_for.hpp"
namespace heed {
extern const KernelTable kernels_avx512;
constexpr KernelTable kernels_avx512 = stub(Isa::avx512, 16);
}
