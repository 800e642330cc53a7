// SPDX-License-Identifier: Apache-2.0
// Between the module's structs of the C API and the types of the C++ API.
#pragma once

#include "heed/multi_head.h"
#include "heed/multi_head.hpp"

namespace heed {

// `name` is what messages call the struct.
Status convert(const char* name, const heed_multi_head& given, MultiHeadAttention& result);

}  // namespace heed
