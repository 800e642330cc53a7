// SPDX-License-Identifier: Apache-2.0
// The parts of a query scaling in their order: factors or base, gate, counts.
#include "api/check_scaling.hpp"

#include <cinttypes>

#include "status.hpp"

namespace heed {
namespace {

bool is_given(std::span<const float> values) { return values.data() != nullptr || !values.empty(); }
bool is_given(const ScalingMlp& mlp) {
  return is_given(mlp.w1) || is_given(mlp.b1) || is_given(mlp.w2) || is_given(mlp.b2);
}

struct MlpNames {
  const char *w1, *b1, *w2, *b2;
};

// outputs: what b2 may have, and one or heads in their stead.
bool check_mlp(Checks& check, const MlpNames& names, const ScalingMlp& mlp, const Wanted& input, const Wanted& outputs,
               const Wanted& fewer) {
  const auto hidden = static_cast<std::int64_t>(mlp.b1.size());
  if (hidden == 0)
    return check.fail(
        make_status(StatusCode::bad_size, "%s: 0 values, expected the hidden size, at least 1", names.b1));
  const auto given = static_cast<std::int64_t>(mlp.b2.size());
  if (given != outputs.size && given != fewer.size)
    return check.fail(make_status(StatusCode::bad_size,
                                  "%s: %" PRId64 " values, expected %" PRId64 " (%s) or %" PRId64 " (%s)", names.b2,
                                  given, outputs.size, outputs.name, fewer.size, fewer.name));
  return check.values(names.w1, mlp.w1, exactly(input.name, hidden * input.size)) &&
         check.values(names.b1, mlp.b1, exactly("hidden", hidden)) &&
         check.values(names.w2, mlp.w2, exactly("outputs * hidden", given * hidden)) &&
         check.values(names.b2, mlp.b2, exactly("outputs", given));
}

bool check_counts(Checks& check, const KeyCounts& counts, const Dims& q_shape, std::int64_t kv_len) {
  if (counts.values.data() == nullptr && counts.values.empty()) {
    if (counts.value != 0 || kv_len != 0) return true;
    return check.fail(
        make_status(StatusCode::bad_value, "query_scaling.key_counts: not given, expected the number of keys"));
  }
  const std::int64_t batch = q_shape[0], rows = q_shape[2];
  const auto given = static_cast<std::int64_t>(counts.values.size());
  if (given != batch && given != batch * rows)
    return check.fail(make_status(StatusCode::bad_size,
                                  "query_scaling.key_counts: %" PRId64 " values, expected %" PRId64
                                  " (batch) or %" PRId64 " (batch * q_len)",
                                  given, batch, batch * rows));
  return check.values("query_scaling.key_counts", counts.values, exactly("batch or batch * q_len", given));
}

}  // namespace

bool check_query_scaling(Checks& check, const QueryScaling& scaling, const Dims& q_shape, std::int64_t kv_len) {
  const std::int64_t heads = q_shape[1], head_dim = q_shape[3];
  const bool has_factors = is_given(scaling.factors), has_base = is_given(scaling.base);
  if (has_factors == has_base)
    return check.fail(make_status(StatusCode::bad_value, "query_scaling: %s, expected one of the two",
                                  has_base ? "both factors and base are given" : "neither factors nor base is given"));
  if (has_factors && is_given(scaling.gate))
    return check.fail(
        make_status(StatusCode::bad_value, "query_scaling.gate: given with factors, expected only with a base"));
  if (has_factors && !check.values("query_scaling.factors", scaling.factors, exactly("q_heads", heads))) return false;
  constexpr MlpNames base = {"query_scaling.base.w1", "query_scaling.base.b1", "query_scaling.base.w2",
                             "query_scaling.base.b2"};
  constexpr MlpNames gate = {"query_scaling.gate.w1", "query_scaling.gate.b1", "query_scaling.gate.w2",
                             "query_scaling.gate.b2"};
  return (!has_base || check_mlp(check, base, scaling.base, exactly("hidden", 1),
                                 exactly("q_heads * head_dim", heads * head_dim), exactly("q_heads", heads))) &&
         (!is_given(scaling.gate) || check_mlp(check, gate, scaling.gate, exactly("hidden * head_dim", head_dim),
                                               exactly("head_dim", head_dim), exactly("one", 1))) &&
         check_counts(check, scaling.key_counts, q_shape, kv_len);
}

}  // namespace heed
