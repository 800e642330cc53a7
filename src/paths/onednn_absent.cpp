// SPDX-License-Identifier: Apache-2.0
// Stands in for what oneDNN does where it isn't built. make_plan() refuses the path first.
#include "paths/linear.hpp"
#include "paths/path.hpp"
#include "status.hpp"

namespace heed {

const bool has_onednn = false;

Status run_onednn(const Plan&, const Problem&, std::span<std::byte>) noexcept {
  return make_status(StatusCode::unsupported, "path: onednn is not in this build");
}

bool multiply_by_onednn(const LinearBlock&, Scratchpad&) noexcept { return false; }
std::size_t packed_weights_size(std::int64_t, std::int64_t) noexcept { return 0; }
bool pack_weights(const float*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::byte*) noexcept {
  return false;
}

}  // namespace heed
