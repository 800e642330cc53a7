// SPDX-License-Identifier: Apache-2.0
// The instruction sets heed has kernels for. Included by code of every ISA: declarations only.
#pragma once

namespace heed {

// In rising order; the registry lists them best first.
enum class Isa : int { baseline, avx2, avx512, neon64, emulated512 };

}  // namespace heed
