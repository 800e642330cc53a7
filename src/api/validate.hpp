// SPDX-License-Identifier: Apache-2.0
// Every check of what users may get wrong, in the order of the arguments. After it nothing is the
// user's fault.
#pragma once

#include "heed/cross_check.hpp"

namespace heed {

// needs_data: pointers are checked (attention()), or not looked at (scratch_size(), explain()).
Status validate(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                const Options& options, bool needs_data);

// The arguments of cross_check(), without an answer, and of check_answer(). The options hold no outputs.
Status validate_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer* answer,
                      const Options& options, Path against);

}  // namespace heed
