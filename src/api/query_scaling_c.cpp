// SPDX-License-Identifier: Apache-2.0
// Query scaling for C: converts structs and calls the C++ API.
#include "heed/query_scaling.h"

#include <cstddef>
#include <cstring>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"

namespace heed {
namespace {

// As options_size_0_1: a longer struct gets an init function of its own.
constexpr std::size_t query_scaling_size_0_1 = offsetof(heed_query_scaling, key_counts_count) + sizeof(std::int64_t);

ScalingMlp mlp_of(const heed_scaling_mlp& mlp) {
  return {list(mlp.w1, mlp.w1_count), list(mlp.b1, mlp.b1_count), list(mlp.w2, mlp.w2_count),
          list(mlp.b2, mlp.b2_count)};
}

Status scale_for_c(const heed_const_tensor* q, const heed_query_scaling* scaling, const heed_tensor* out,
                   std::int32_t threads, const char* isa) {
  if (Status status = need_structs({{"q", q}, {"query_scaling", scaling}, {"out", out}}); !status.ok()) return status;
  QueryScaling converted;
  if (Status status = convert(*scaling, converted); !status.ok()) return status;
  return scale_queries(convert(*q), converted, convert(*out), {threads, isa == nullptr ? "" : isa});
}

}  // namespace

Status convert(const heed_query_scaling& given, QueryScaling& result) {
  heed_query_scaling scaling{};
  if (Status status = read_sized("query_scaling", "heed_query_scaling_init", given, scaling); !status.ok())
    return status;
  result = {list(scaling.factors, scaling.factors_count),
            mlp_of(scaling.base),
            mlp_of(scaling.gate),
            {scaling.key_count, list(scaling.key_counts, scaling.key_counts_count)}};
  return {};
}

}  // namespace heed

void heed_query_scaling_init(heed_query_scaling* query_scaling) {
  std::memset(query_scaling, 0, heed::query_scaling_size_0_1);
  query_scaling->size = heed::query_scaling_size_0_1;
}

std::int32_t heed_scale_queries(const heed_const_tensor* q, const heed_query_scaling* query_scaling,
                                const heed_tensor* out, std::int32_t threads, const char* isa, char* message,
                                std::size_t message_size) {
  return heed::answer(heed::scale_for_c(q, query_scaling, out, threads, isa), message, message_size);
}
