// SPDX-License-Identifier: Apache-2.0
// The weights that a user asked to look at: rows of one head, what each row spends on its keys, and what
// each key receives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/labels.hpp"
#include "audit/path_run.hpp"

namespace heed::audit {

struct ShownRow {
  std::int64_t row = 0;
  double sum = 0.0;
  double entropy = 0.0;  // -sum of w ln w, in nats: 0 for one key, ln n for n keys of equal weight
  double largest = 0.0;
  std::int64_t largest_key = -1;  // -1: the row sees nothing
  std::int64_t blocked = 0;       // keys that it may not read
};

struct Shown {
  std::string path;
  std::int64_t b = 0, h = 0;
  RowRange range;  // asked for; `rows` are all of it, or evenly spread over it
  std::int64_t kv_len = 0;
  std::vector<ShownRow> rows;
  std::vector<float> weights;         // [rows, kv_len]
  std::vector<std::uint8_t> blocked;  // the same
  std::vector<double> key_sums;       // [kv_len], over `rows`
  std::vector<std::int64_t> key_blocked;
  std::int64_t blocked_cells = 0;
  bool is_own_call = false;  // weights of calls for single rows, since those of the whole call are too many
  Labels row_labels, key_labels;

  bool is_sample() const { return static_cast<std::int64_t>(rows.size()) < range.end - range.first; }
  std::int64_t cells() const { return static_cast<std::int64_t>(weights.size()); }
  float weight(std::size_t n, std::int64_t key) const {
    return weights[n * static_cast<std::size_t>(kv_len) + static_cast<std::size_t>(key)];
  }
  bool is_blocked(std::size_t n, std::int64_t key) const {
    return blocked[n * static_cast<std::size_t>(kv_len) + static_cast<std::size_t>(key)] != 0;
  }
};

// At most `most` of the numbers first..end-1, evenly spread, the first and the last included.
std::vector<std::int64_t> evenly_spread(std::int64_t first, std::int64_t end, std::int64_t most);

// What is to be shown, with its labels. Throws Error where there is no such head or row.
Shown select(const Arguments& arguments, const Call& call);

// Fills in the weights: those of the whole call, or with an empty `whole` those of a call for each row.
Status fill(const Call& call, Path path, const std::vector<float>& whole, Shown& shown);

void print_shown(std::ostream& out, const Shown& shown);

}  // namespace heed::audit
