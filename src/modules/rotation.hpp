// SPDX-License-Identifier: Apache-2.0
// The checks of rotary positions, for modules that rotate.
#pragma once

#include "api/checks.hpp"
#include "heed/rotary.hpp"

namespace heed {

Status check_rotary_sizes(const RotaryTable& table);
bool check_rotary_memory(Checks& checks, const RotaryTable& table);  // that a call reads
// A tensor of this shape with these positions. The table's sizes and the positions' memory are right.
Status check_rotation(const Dims& shape, const RotaryTable& table, const RotaryOptions& options);

}  // namespace heed
