// SPDX-License-Identifier: Apache-2.0
// Every check of what users may get wrong, in the order of the arguments. After it nothing is the
// user's fault.
#pragma once

#include "api/checks.hpp"
#include "heed/classes.hpp"
#include "heed/cross_check.hpp"

namespace heed {

// What q, k and v say; every other argument is held against it.
struct Sizes {
  std::int64_t batch, q_heads, kv_heads, q_len, kv_len, head_dim, value_dim;
};

// needs_data: pointers are checked (attention()), or not looked at (scratch_size(), explain()).
Status validate(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                const Options& options, bool needs_data);

// The same of attention_classes() and scratch_size_classes().
Status validate_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                        const Options& options, bool needs_data);

// The arguments of cross_check(), without an answer, and of check_answer(). The options hold no outputs.
Status validate_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer* answer,
                      const Options& options, Path against);

// Parts of these, for modules whose call has other arguments too.
bool check_keys_and_values(Checks& check, const Sizes& sizes, const ConstTensor& k, const ConstTensor& v);
bool check_call_options(Checks& check, const Sizes& sizes, const Options& options);
bool check_threads(Checks& check, int threads);

}  // namespace heed
