// SPDX-License-Identifier: Apache-2.0
// Induced attention for C: converts structs and calls the C++ API.
#include "heed/induced.h"

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "heed/induced.hpp"
#include "modules/convert_multi_head_c.hpp"

namespace heed {
namespace {

Status induced_for_c(const heed_multi_head* induce, const heed_multi_head* spread, const heed_const_tensor* points,
                     const heed_const_tensor* context, const heed_const_tensor* x, const heed_tensor* hidden,
                     const heed_tensor* out, const heed_options* induce_options, const heed_options* spread_options) {
  if (Status status = need_structs({{"induce", induce},
                                    {"spread", spread},
                                    {"points", points},
                                    {"context", context},
                                    {"x", x},
                                    {"hidden", hidden},
                                    {"out", out}});
      !status.ok())
    return status;
  InducedAttention module;
  InducedOptions options;
  if (Status status = convert("induce", *induce, module.induce); !status.ok()) return status;
  if (Status status = convert("spread", *spread, module.spread); !status.ok()) return status;
  if (Status status = convert(induce_options, options.induce); !status.ok()) return status;
  if (Status status = convert(spread_options, options.spread); !status.ok()) return status;
  return induced_attention(module, convert(*points), convert(*context), convert(*x), convert(*hidden), convert(*out),
                           options);
}

}  // namespace
}  // namespace heed

std::int32_t heed_induced_attention(const heed_multi_head* induce, const heed_multi_head* spread,
                                    const heed_const_tensor* points, const heed_const_tensor* context,
                                    const heed_const_tensor* x, const heed_tensor* hidden, const heed_tensor* out,
                                    const heed_options* induce_options, const heed_options* spread_options,
                                    char* message, std::size_t message_size) {
  return heed::answer(
      heed::induced_for_c(induce, spread, points, context, x, hidden, out, induce_options, spread_options), message,
      message_size);
}
