#pragma once
#include "dispatch/kernel_table.hpp"
namespace heed { namespace { constexpr KernelTable stub(Isa isa, std::size_t lanes) { KernelTable t{}; t.isa = isa; t.lanes = lanes; t.max_rows = 3*lanes; return t; } } }
