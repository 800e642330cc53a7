// SPDX-License-Identifier: Apache-2.0
// Calls by their sizes, and the plans that are made for them.
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.hpp"

namespace heed::tests {

struct Sizes {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 1, kv_len = 1, head_dim = 64, value_dim = 64;
};

inline Problem problem_of(const Sizes& s, const Options& options = {}) {
  const float* none = nullptr;
  float* nowhere = nullptr;
  return make_problem(bhnd(none, s.batch, s.q_heads, s.q_len, s.head_dim),
                      bhnd(none, s.batch, s.kv_heads, s.kv_len, s.head_dim),
                      bhnd(none, s.batch, s.kv_heads, s.kv_len, s.value_dim),
                      bhnd(nowhere, s.batch, s.q_heads, s.q_len, s.value_dim), options);
}

struct Planned {
  Status status;
  Plan plan;
  std::string reason(const std::string& name) const {
    for (const Plan::Reason& reason : plan.reasons)
      if (reason.name != nullptr && reason.name == name) return reason.why;
    return "";
  }
};

inline Planned plan_of(const Sizes& sizes, const Options& options = {}, const Machine& machine = {}) {
  Planned planned;
  planned.status = make_plan(problem_of(sizes, options), options, machine, planned.plan);
  return planned;
}

inline constexpr Sizes large = {.batch = 4, .q_heads = 8, .kv_heads = 8, .q_len = 1024, .kv_len = 1024};

}  // namespace heed::tests
