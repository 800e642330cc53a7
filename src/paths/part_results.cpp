// SPDX-License-Identifier: Apache-2.0
// Parts write where the item has room for them; a row is merged from there.
#include "paths/part_results.hpp"

#include <algorithm>

#include "paths/part_shares.hpp"

namespace heed {

float* PartResults::place(std::int64_t part, std::size_t row) const {
  const std::size_t rows = most_item_rows(plan_);
  return floats_ + (static_cast<std::size_t>(part) * rows + row) * part_row_floats(problem_);
}

TileJob PartResults::narrow(TileJob job, std::int64_t part, TileRow* rows) const {
  job.keys_begin = part * plan_.parts.keys;
  job.keys_end = std::min(problem_.kv_len, job.keys_begin + plan_.parts.keys);
  job.is_part = true;
  job.has_sinks = job.has_sinks && part == 0;
  job.out_channel = 1;
  for (std::size_t r = 0; r < job.row_count; ++r) {
    rows[r] = job.rows[r];
    rows[r].span_begin = std::clamp(rows[r].span_begin, job.keys_begin, job.keys_end);
    rows[r].span_end = std::clamp(rows[r].span_end, rows[r].span_begin, job.keys_end);
    rows[r].lse = place(part, r);
    rows[r].out = rows[r].lse + 2;
  }
  job.rows = rows;
  return job;
}

void PartResults::merge(const TileJob& job) const {
  double room[most_key_parts];
  const std::span shares(room, static_cast<std::size_t>(plan_.parts.count));
  for (std::size_t r = 0; r < job.row_count; ++r) {
    const TileRow& row = job.rows[r];
    const auto result = [&](std::size_t part) { return place(static_cast<std::int64_t>(part), r); };
    const double lse = share_out(shares, [&](std::size_t part) -> PartSoftmax {
      return {static_cast<double>(result(part)[0]), static_cast<double>(result(part)[1])};
    });
    if (row.lse != nullptr) *row.lse = static_cast<float>(lse);
    for (std::int64_t c = 0; c < problem_.value_dim; ++c) {
      double out = 0.0;
      for (std::size_t part = 0; part < shares.size(); ++part)
        if (result(part)[1] != 0.0f) out += shares[part] * static_cast<double>(result(part)[2 + c]);
      row.out[c * job.out_channel] = static_cast<float>(out);
    }
    if (row.weights == nullptr) continue;
    for (std::int64_t key = 0; key < problem_.kv_len; ++key) {
      float& weight = row.weights[key * job.weights_key];
      if (weight == 0.0f) continue;  // hidden: in a row of NaNs too
      weight =
          static_cast<float>(shares[static_cast<std::size_t>(key / plan_.parts.keys)] * static_cast<double>(weight));
    }
  }
}

}  // namespace heed
