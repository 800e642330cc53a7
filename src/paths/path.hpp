// SPDX-License-Identifier: Apache-2.0
// Three ways to run a plan, one signature. Scratch is plan.scratch_bytes long, at any alignment.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.hpp"
#include "plan/problem.hpp"

namespace heed {

Status run_streaming(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept;
Status run_reference(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept;
extern const bool has_onednn;  // is the path in this build?
Status run_onednn(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept;

}  // namespace heed
