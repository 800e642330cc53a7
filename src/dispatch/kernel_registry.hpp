// SPDX-License-Identifier: Apache-2.0
// The ISAs of this build, best first: named things that can be listed, forced and tested.
#pragma once

#include <span>
#include <string_view>

#include "dispatch/kernel_table.hpp"

namespace heed {

struct IsaRow {
  const char* name;
  bool (*runs_here)();
  const KernelTable* kernels;
};
std::span<const IsaRow> built_isas();

const IsaRow* find_isa(std::string_view name);  // null: not in this build
const IsaRow& best_isa();                       // the first that runs here

const char* isa_name(Isa isa);
bool is_isa_name(std::string_view name);  // of any ISA that heed knows, built or not

// HEED_ISA, or null when unset. One of the two environment variables that the library reads.
const char* isa_from_environment();

}  // namespace heed
