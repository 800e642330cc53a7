// SPDX-License-Identifier: Apache-2.0
// Calls that the tool makes up itself, run in every way that this machine has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audit/call.hpp"

namespace heed::audit {

// A path, and for the streaming path an ISA.
struct Way {
  Path path = Path::streaming;
  std::string isa;
  std::string name() const { return std::string(path_name(path)) + (isa.empty() ? "" : " " + isa); }
};
std::vector<Way> all_ways();

struct SmallCall {
  Sizes sizes;  // `group` is not looked at
  std::vector<float> q, k, v;
};

// Sizes of one batch item with as many query heads as key heads.
Sizes small_sizes(std::int64_t batch, std::int64_t heads, std::int64_t q_len, std::int64_t kv_len,
                  std::int64_t channels);

// q, k and v standard normal, the same for the same seed.
SmallCall normal_call(const Sizes& sizes, std::uint64_t seed);

struct SmallAnswer {
  std::vector<float> out, lse, weights;
  std::int64_t out_elements_written = 0;  // of a buffer with room for more
};

// One thread. Throws Error where the library refuses.
SmallAnswer attend(const SmallCall& call, const Way& way, Options options = {});

// Over rows of `width` weights: the largest |sum - 1|, and the largest difference of two lists.
double row_sum_error(std::span<const float> weights, std::int64_t width);
double largest_difference(std::span<const float> a, std::span<const float> b);

}  // namespace heed::audit
