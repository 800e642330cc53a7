// SPDX-License-Identifier: Apache-2.0
// The public functions: validate, resolve, plan, run.
#include "heed/attention.hpp"

#include <memory>
#include <new>

#include "api/validate.hpp"
#include "diagnostics/explain.hpp"
#include "dispatch/kernel_registry.hpp"
#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "status.hpp"

namespace heed {
namespace {

struct Call {
  Problem problem;
  Plan plan;
};

Status prepare(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
               const Options& options, bool needs_data, Call& call) {
  if (Status status = validate(q, k, v, out, options, needs_data); !status.ok()) return status;
  call.problem = make_problem(q, k, v, out, options);
  return make_plan(call.problem, options, this_machine(caller_threads(), has_onednn), call.plan);
}

Status run(const Call& call, std::span<std::byte> scratch) {
  switch (call.plan.path) {
    case Path::reference: return run_reference(call.plan, call.problem, scratch);
    case Path::onednn: return run_onednn(call.plan, call.problem, scratch);
    default: return run_streaming(call.plan, call.problem, scratch);
  }
}

}  // namespace

Status attention(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                 const Options& options) noexcept {
  Call call;
  if (Status status = prepare(q, k, v, out, options, true, call); !status.ok()) return status;
  if (call.problem.is_empty()) return {};
  const std::size_t bytes = call.plan.scratch_bytes;
  if (options.scratch.data() != nullptr) {
    if (options.scratch.size() < bytes)
      return make_status(StatusCode::scratch_too_small, "scratch: %zu bytes, expected at least %zu",
                         options.scratch.size(), bytes);
    return run(call, options.scratch);
  }
  const std::unique_ptr<std::byte[]> scratch(new (std::nothrow) std::byte[bytes]);
  if (scratch == nullptr)
    return make_status(StatusCode::out_of_memory, "scratch: %zu bytes could not be allocated", bytes);
  return run(call, {scratch.get(), bytes});
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
