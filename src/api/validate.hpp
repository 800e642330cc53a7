// SPDX-License-Identifier: Apache-2.0
// Every check of what users may get wrong, in the order of the arguments. After it nothing is the
// user's fault.
#pragma once

#include "heed/attention.hpp"

namespace heed {

// needs_data: pointers are checked (attention()), or not looked at (scratch_size(), explain()).
Status validate(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                const Options& options, bool needs_data);

}  // namespace heed
