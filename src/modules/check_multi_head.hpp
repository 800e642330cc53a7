// SPDX-License-Identifier: Apache-2.0
// What a module and its arguments have to be.
#pragma once

#include "api/validate.hpp"
#include "heed/multi_head.hpp"

namespace heed {

// The sizes of the attention call inside; sizes are an answer where the status is ok.
Status check_module(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& context,
                    const Tensor& out, const Options& options, bool needs_data, Sizes& sizes);
Status check_project_kv(const MultiHeadAttention& module, const ConstTensor& context, const Tensor& k, const Tensor& v,
                        int threads);
Status check_attend(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k, const ConstTensor& v,
                    const Tensor& out, const Options& options, bool needs_data, Sizes& sizes);

// Neither x nor the module's weights lie where `hidden` is written.
Status check_not_written(const MultiHeadAttention& module, const ConstTensor& x, const Tensor& hidden);
// `memory` is written; empty: its size is only asked for, and weights need not be there.
Status check_pack(const Linear& linear, std::span<std::byte> memory, bool needs_data);

}  // namespace heed
