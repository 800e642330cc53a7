// SPDX-License-Identifier: Apache-2.0
// Plans, finds scratch, and has the path run.
#include "api/call.hpp"

#include <memory>
#include <new>

#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status run(const Call& call, std::span<std::byte> scratch) {
  switch (call.plan.path) {
    case Path::reference: return run_reference(call.plan, call.problem, scratch);
    case Path::onednn: return run_onednn(call.plan, call.problem, scratch);
    default: return run_streaming(call.plan, call.problem, scratch);
  }
}

}  // namespace

Status plan_call(const Options& options, Call& call) {
  return make_plan(call.problem, options, this_machine(caller_threads(), why_serial(), has_onednn), call.plan);
}

Status run_call(const Call& call, const Options& options) {
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

}  // namespace heed
