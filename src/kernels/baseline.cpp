// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_table_for.hpp"
namespace heed {
extern const KernelTable kernels_baseline;
constexpr KernelTable kernels_baseline = stub(Isa::baseline, 4);
}
