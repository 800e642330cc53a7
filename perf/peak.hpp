// SPDX-License-Identifier: Apache-2.0
// Loops that do nothing but one kind of instruction, in assembly: a compiler can neither fold them nor
// spill their registers. One file per ISA, built with that ISA's flags; peak_<architecture>.cpp lists them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heed::perf {

struct PeakLoop {
  const char* isa;
  void (*run)(std::int64_t rounds) noexcept;  // rounds >= 1
  double flops_per_round;
  double cycles_per_round;  // at two vector instructions per cycle
};

// The FMA loops of this architecture; the first one of them that runs here gives the clock.
std::span<const PeakLoop> peak_loops();

// The loop of an ISA; baseline's for a name that has none.
const PeakLoop& peak_loop(std::string_view isa);

// Adds and no-operations in turn, without dependences: how many instructions the core delivers.
void run_scalar_loop(std::int64_t rounds) noexcept;
inline constexpr double scalar_instructions_per_round = 130.0;

// One round each of the ISAs' loops. x86-64: baseline counts multiplies and adds, which need no FMA.
extern "C" void heed_peak_baseline(std::int64_t rounds) noexcept;
extern "C" void heed_peak_avx2(std::int64_t rounds) noexcept;
extern "C" void heed_peak_avx512(std::int64_t rounds) noexcept;
extern "C" void heed_peak_neon64(std::int64_t rounds) noexcept;

}  // namespace heed::perf
