// SPDX-License-Identifier: Apache-2.0
#include "paths/path.hpp"
#include "status.hpp"
namespace heed {
Status run_streaming(const Plan&, const Problem&, std::span<std::byte>) noexcept { return make_status(StatusCode::unsupported, "streaming: being written"); }
}
