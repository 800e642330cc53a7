// SPDX-License-Identifier: Apache-2.0
// The public functions: validate, resolve, plan, run.
#include "heed/attention.hpp"

#include <new>

#include "api/call.hpp"
#include "api/validate.hpp"
#include "diagnostics/explain.hpp"
#include "dispatch/kernel_registry.hpp"
#include "paths/path.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status prepare(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
               const Options& options, bool needs_data, Call& call) {
  if (Status status = validate(q, k, v, out, options, needs_data); !status.ok()) return status;
  call.problem = make_problem(q, k, v, out, options);
  return plan_call(options, call);
}

}  // namespace

Status attention(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                 const Options& options) noexcept {
  Call call;
  if (Status status = prepare(q, k, v, out, options, true, call); !status.ok()) return status;
  return run_call(call, options);
}

Status scratch_size(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                    const Options& options, std::size_t& bytes) noexcept {
  Call call;
  if (Status status = prepare(q, k, v, out, options, false, call); !status.ok()) return status;
  bytes = call.plan.scratch_bytes;
  return {};
}

Status explain(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
               const Options& options, Explanation& explanation) noexcept try {
  Call call;
  if (Status status = prepare(q, k, v, out, options, false, call); !status.ok()) return status;
  explanation = render(call.plan, call.problem, options);
  return {};
} catch (const std::bad_alloc&) {
  return make_status(StatusCode::out_of_memory, "explanation: its texts could not be allocated");
}

const char* version() noexcept { return HEED_VERSION; }

std::vector<std::string> available_paths() {
  std::vector<std::string> names = {path_name(Path::streaming)};
  if (has_onednn) names.emplace_back(path_name(Path::onednn));
  names.emplace_back(path_name(Path::reference));
  return names;
}

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const IsaRow& row : built_isas())
    if (row.runs_here()) names.emplace_back(row.name);
  return names;
}

}  // namespace heed
