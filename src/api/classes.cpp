// SPDX-License-Identifier: Apache-2.0
// attention_classes(): as attention(), with class indices for a V.
#include "heed/classes.hpp"

#include "api/call.hpp"
#include "api/validate.hpp"

namespace heed {
namespace {

Status prepare(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
               const Options& options, bool needs_data, Call& call) {
  if (Status status = validate_classes(q, k, classes, out, options, needs_data); !status.ok()) return status;
  call.problem = make_class_problem(q, k, classes, out, options);
  return plan_call(options, call);
}

}  // namespace

Status attention_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                         const Options& options) noexcept {
  Call call;
  if (Status status = prepare(q, k, classes, out, options, true, call); !status.ok()) return status;
  return run_call(call, options);
}

Status scratch_size_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                            const Options& options, std::size_t& bytes) noexcept {
  Call call;
  if (Status status = prepare(q, k, classes, out, options, false, call); !status.ok()) return status;
  bytes = call.plan.scratch_bytes;
  return {};
}

}  // namespace heed
