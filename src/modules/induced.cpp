// SPDX-License-Identifier: Apache-2.0
// Two calls of the module.
#include "heed/induced.hpp"

#include "modules/check_multi_head.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status named(const char* call, const Status& status) {
  return status.ok() ? status : make_status(status.code(), "%s: %s", call, status.message());
}

}  // namespace

Status induced_attention(const InducedAttention& module, const ConstTensor& points, const ConstTensor& context,
                         const ConstTensor& x, const Tensor& hidden, const Tensor& out,
                         const InducedOptions& options) noexcept {
  const ConstTensor shared_points = for_each_item(points, context.shape[0]);
  // Neither half may fail once the other has written.
  Sizes sizes{};
  if (Status status =
          named("induce", check_module(module.induce, shared_points, context, hidden, options.induce, true, sizes));
      !status.ok())
    return status;
  std::size_t bytes = 0;
  const Status checks[] = {
      check_module(module.spread, x, hidden, out, options.spread, true, sizes),
      check_not_written(module.spread, x, hidden),
      multi_head_scratch_size(module.spread, x, hidden, out, options.spread, bytes),
  };
  for (const Status& status : checks)
    if (!status.ok()) return named("spread", status);
  if (options.spread.scratch.data() != nullptr && options.spread.scratch.size() < bytes)
    return named("spread", make_status(StatusCode::scratch_too_small, "scratch: %zu bytes, expected at least %zu",
                                       options.spread.scratch.size(), bytes));
  if (Status status = multi_head_attention(module.induce, shared_points, context, hidden, options.induce); !status.ok())
    return named("induce", status);
  return named("spread", multi_head_attention(module.spread, x, hidden, out, options.spread));
}

}  // namespace heed
