// SPDX-License-Identifier: Apache-2.0
// What a query scaling has to be.
#pragma once

#include "api/checks.hpp"
#include "heed/query_scaling.hpp"

namespace heed {

// kv_len: what n is by default; 0: there is none.
bool check_query_scaling(Checks& check, const QueryScaling& scaling, const Dims& q_shape, std::int64_t kv_len);

}  // namespace heed
