// SPDX-License-Identifier: Apache-2.0
// Experiment B. The padding holds NaN: whatever leaks, shows.
#include <algorithm>
#include <limits>
#include <span>

#include "audit/compare.hpp"
#include "audit/experiments.hpp"
#include "audit/small_call.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t heads = 2, q_len = 5, kv_len = 9, channels = 16, valid = 6;

struct Padded {
  double padding_weight = 0.0;  // the largest, of the second item
  double sum_error = 0.0;       // of its valid keys
  double first_item = 0.0;      // how far the first item's out is from a call without padding
  double second_item = 0.0;     // how far the second's is from a call that never had the padding
};

SmallCall with_nan_padding(SmallCall call) {
  for (std::vector<float>* tensor : {&call.k, &call.v})
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t head = ((heads + h) * kv_len) * channels;
      std::fill(tensor->begin() + head + valid * channels, tensor->begin() + head + kv_len * channels,
                std::numeric_limits<float>::quiet_NaN());
    }
  return call;
}

// The second item's queries over its valid keys alone.
SmallCall cut(const SmallCall& call) {
  SmallCall part{small_sizes(1, heads, q_len, valid, channels), {}, {}, {}};
  part.q.assign(call.q.begin() + heads * q_len * channels, call.q.end());
  for (std::int64_t h = 0; h < heads; ++h) {
    const std::int64_t head = ((heads + h) * kv_len) * channels;
    part.k.insert(part.k.end(), call.k.begin() + head, call.k.begin() + head + valid * channels);
    part.v.insert(part.v.end(), call.v.begin() + head, call.v.begin() + head + valid * channels);
  }
  return part;
}

Padded run(const Way& way) {
  const SmallCall plain = normal_call(small_sizes(2, heads, q_len, kv_len, channels), 2);
  std::vector<std::uint8_t> blocked(2 * kv_len, 0);
  std::fill(blocked.begin() + kv_len + valid, blocked.end(), std::uint8_t{1});
  const SmallAnswer padded =
      attend(with_nan_padding(plain), way, {.key_mask = blocked_keys(blocked.data(), 2, kv_len)});
  const SmallAnswer unpadded = attend(plain, way), alone = attend(cut(plain), way);

  Padded found;
  const std::span<const float> weights(padded.weights), out(padded.out);
  std::vector<float> valid_weights;
  for (std::size_t row = weights.size() / 2; row < weights.size(); row += kv_len)
    for (std::size_t j = 0; j < kv_len; ++j) {
      const float weight = weights[row + j];
      if (j < valid)
        valid_weights.push_back(weight);
      else
        found.padding_weight = std::max(found.padding_weight, distance(static_cast<double>(weight), 0.0));
    }
  found.sum_error = row_sum_error(valid_weights, valid);
  found.first_item = largest_difference(out.first(out.size() / 2), std::span(unpadded.out).first(out.size() / 2));
  found.second_item = largest_difference(out.last(out.size() / 2), alone.out);
  return found;
}

}  // namespace

Experiment padding_experiment() {
  Experiment found{
      .letter = 'B',
      .title = "Padding: a blocked key weighs exactly 0, for every query",
      .setting = text(
          "Two batch items of %lld heads, %lld queries and %lld keys; the last %lld keys of the second are padding,\n"
          "blocked by a key mask, and hold NaN.",
          static_cast<long long>(heads), static_cast<long long>(q_len), static_cast<long long>(kv_len),
          static_cast<long long>(kv_len - valid)),
      .expected =
          "padding weighs exactly 0; the valid keys of each row sum to 1 within 1e-06; the first item comes out as in\n"
          "          a call without padding (no bit changed; oneDNN: within 1e-06), and the second as in a call that "
          "has its\n          valid keys only (within 1e-06)",
      .seen = {},
      .table =
          Table({"path", "padding weight", "row sum error", "first item differs", "second item differs", "verdict"})};
  found.holds = true;
  Padded worst;
  for (const Way& way : all_ways()) {
    const Padded one = run(way);
    // oneDNN chooses its own blocking.
    const double same = way.path == Path::onednn ? 1e-6 : 0.0;
    const bool holds =
        one.padding_weight == 0.0 && one.sum_error <= 1e-6 && one.first_item <= same && one.second_item <= 1e-6;
    found.holds = found.holds && holds;
    worst = {std::max(worst.padding_weight, one.padding_weight), std::max(worst.sum_error, one.sum_error),
             std::max(worst.first_item, one.first_item), std::max(worst.second_item, one.second_item)};
    found.table.add({way.name(), number(one.padding_weight), number(one.sum_error), number(one.first_item),
                     number(one.second_item), verdict(holds)});
  }
  found.seen = "padding weight " + number(worst.padding_weight) + ", row sums off by " + number(worst.sum_error) +
               ", first item off by " + number(worst.first_item) + ", second by " + number(worst.second_item);
  return found;
}

}  // namespace heed::audit
