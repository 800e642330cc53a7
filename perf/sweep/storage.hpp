// SPDX-License-Identifier: Apache-2.0
// The same call in another storage order.
#pragma once

#include <string>

#include "spec.hpp"

namespace heed::perf {

// q, k, v and out in that order, bhnd or bnhd. A stride of 0 stays 0: what was shared is shared.
Spec in_storage(Spec spec, Storage::Order order);

// "bhnd" or "bnhd" when each of the four lies in that order, shared or not; otherwise "mixed".
std::string storage_name(const Spec& spec);

}  // namespace heed::perf
