// SPDX-License-Identifier: Apache-2.0
// See small_call.hpp.
#include "audit/small_call.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "audit/compare.hpp"
#include "audit/error.hpp"
#include "random_numbers.hpp"

namespace heed::audit {
namespace {

// A NaN that no computation makes, to tell what was written from what was not.
const float unwritten = std::bit_cast<float>(std::uint32_t{0x7FC0BEEF});
constexpr std::int64_t spare = 64;

std::vector<float> buffer(std::int64_t elements) {
  return std::vector<float>(static_cast<std::size_t>(elements), unwritten);
}

bool is_written(float value) { return std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(unwritten); }

}  // namespace

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const std::string& name : available_paths())
    for (const Path path : {Path::streaming, Path::onednn, Path::reference}) {
      if (name != path_name(path)) continue;
      if (path != Path::streaming)
        ways.push_back({path, {}});
      else
        for (const std::string& isa : available_isas()) ways.push_back({path, isa});
    }
  return ways;
}

Sizes small_sizes(std::int64_t batch, std::int64_t heads, std::int64_t q_len, std::int64_t kv_len,
                  std::int64_t channels) {
  return {batch, heads, heads, 1, q_len, kv_len, channels, channels};
}

SmallCall normal_call(const Sizes& sizes, std::uint64_t seed) {
  SmallCall call{sizes, {}, {}, {}};
  perf::Random random(seed);
  const auto fill = [&](std::vector<float>& values, std::int64_t elements) {
    values.resize(static_cast<std::size_t>(elements));
    for (float& value : values) value = random.normal();
  };
  fill(call.q, sizes.batch * sizes.q_heads * sizes.q_len * sizes.head_dim);
  fill(call.k, sizes.batch * sizes.kv_heads * sizes.kv_len * sizes.head_dim);
  fill(call.v, sizes.batch * sizes.kv_heads * sizes.kv_len * sizes.value_dim);
  return call;
}

SmallAnswer attend(const SmallCall& call, const Way& way, Options options) {
  const Sizes& s = call.sizes;
  SmallAnswer answer{buffer(s.rows() * s.value_dim + spare), buffer(s.rows()), buffer(s.rows() * s.kv_len), 0};
  options.path = way.path;
  options.isa = way.isa;
  options.threads = 1;
  options.lse = bhnd(answer.lse.data(), s.batch, s.q_heads, s.q_len, 1);
  options.weights = bhnd(answer.weights.data(), s.batch, s.q_heads, s.q_len, s.kv_len);
  const Status status = attention(bhnd(call.q.data(), s.batch, s.q_heads, s.q_len, s.head_dim),
                                  bhnd(call.k.data(), s.batch, s.kv_heads, s.kv_len, s.head_dim),
                                  bhnd(call.v.data(), s.batch, s.kv_heads, s.kv_len, s.value_dim),
                                  bhnd(answer.out.data(), s.batch, s.q_heads, s.q_len, s.value_dim), options);
  if (!status.ok()) throw Error(way.name() + ": " + status.message());
  answer.out_elements_written = std::count_if(answer.out.begin(), answer.out.end(), is_written);
  answer.out.resize(answer.out.size() - spare);
  return answer;
}

double row_sum_error(std::span<const float> weights, std::int64_t width) {
  double worst = 0.0;
  for (std::size_t row = 0; row < weights.size(); row += static_cast<std::size_t>(width)) {
    double sum = 0.0;
    for (const float weight : weights.subspan(row, static_cast<std::size_t>(width))) sum += static_cast<double>(weight);
    worst = std::max(worst, distance(sum, 1.0));
  }
  return worst;
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n)
    worst = std::max(worst, distance(static_cast<double>(a[n]), static_cast<double>(b[n])));
  return worst;
}

}  // namespace heed::audit
