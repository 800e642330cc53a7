// SPDX-License-Identifier: Apache-2.0
// merge() for C: converts structs and calls the C++ API.
#include "heed/merge.h"

#include <memory>
#include <new>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "heed/merge.hpp"

namespace heed {
namespace {

Status merge_for_c(const heed_partial_result* parts, std::size_t count, const heed_tensor* out,
                   const heed_tensor* lse) try {
  if (out == nullptr) return make_status(StatusCode::null_data, "out: null pointer, expected a tensor");
  if (parts == nullptr && count > 0)
    return make_status(StatusCode::null_data, "parts: null pointer, expected %zu of them", count);
  const auto converted = std::make_unique<PartialResult[]>(count);
  for (std::size_t p = 0; p < count; ++p) converted[p] = {convert(parts[p].out), convert(parts[p].lse)};
  std::optional<Tensor> merged_lse;
  if (lse != nullptr) merged_lse = convert(*lse);
  return merge({converted.get(), count}, convert(*out), merged_lse);
} catch (const std::bad_alloc&) {  // or a count whose bytes do not fit 64 bits
  return make_status(StatusCode::out_of_memory, "parts: %zu of them could not be allocated", count);
}

}  // namespace
}  // namespace heed

std::int32_t heed_merge(const heed_partial_result* parts, std::size_t count, const heed_tensor* out,
                        const heed_tensor* lse, char* message, std::size_t message_size) {
  return heed::answer(heed::merge_for_c(parts, count, out, lse), message, message_size);
}
