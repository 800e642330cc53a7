// SPDX-License-Identifier: Apache-2.0
// The list of ISAs, best first; the only file with ISA conditions. src/meson.build defines
// HEED_HAS_<ISA> for each row that it built.
#include "dispatch/kernel_registry.hpp"

#include "heed/attention.hpp"

namespace heed {

extern const KernelTable kernels_baseline;
extern const KernelTable kernels_avx2;
extern const KernelTable kernels_avx512;
extern const KernelTable kernels_neon64;
extern const KernelTable kernels_emulated512;

static_assert(static_cast<int>(DType::i8) + 1 == dtype_count,
              "heed/attention.hpp has a dtype without a slot in dispatch/kernel_table.hpp");

namespace {

// __builtin_cpu_supports also asks whether the operating system saves the registers; xsimd 8.1 does not.
constexpr IsaRow rows[] = {
#ifdef HEED_HAS_AVX512
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq");
     },
     &kernels_avx512},
#endif
#ifdef HEED_HAS_AVX2
    {"avx2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }, &kernels_avx2},
#endif
#ifdef HEED_HAS_NEON64
    {"neon64", [] { return true; }, &kernels_neon64},
#endif
    {"baseline", [] { return true; }, &kernels_baseline},
#ifdef HEED_HAS_EMULATED512
    {"emulated512", [] { return true; }, &kernels_emulated512},  // for tests: runs everywhere, slowly
#endif
};

}  // namespace

std::span<const IsaRow> built_isas() { return rows; }

const IsaRow* find_isa(std::string_view name) {
  for (const IsaRow& row : rows)
    if (name == row.name) return &row;
  return nullptr;
}

const IsaRow& best_isa() {
  for (const IsaRow& row : rows)
    if (row.runs_here()) return row;
  return rows[std::size(rows) - 1];  // not reached: baseline runs wherever the library loads
}

}  // namespace heed
