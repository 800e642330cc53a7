// SPDX-License-Identifier: Apache-2.0
// Names of the ISAs, and what the environment asks for.
#include <array>
#include <cstdlib>

#include "dispatch/kernel_registry.hpp"

namespace heed {
namespace {

constexpr std::array<const char*, 5> names = {"baseline", "avx2", "avx512", "neon64", "emulated512"};
static_assert(static_cast<int>(Isa::emulated512) + 1 == names.size(),
              "dispatch/isa.hpp has an ISA without a name here");

}  // namespace

const char* isa_name(Isa isa) { return names[static_cast<std::size_t>(isa)]; }

bool is_isa_name(std::string_view name) {
  for (const char* known : names)
    if (name == known) return true;
  return false;
}

const char* isa_from_environment() {
  const char* value = std::getenv("HEED_ISA");
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace heed
