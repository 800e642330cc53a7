// SPDX-License-Identifier: Apache-2.0
// Experiment C. The number of queries is the number of answers; the number of keys is how far each can read.
#include <algorithm>
#include <span>

#include "audit/experiments.hpp"
#include "audit/small_call.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr std::int64_t most_queries = 16, most_keys = 11, fewest_keys = 7, channels = 8;
constexpr double same = 1e-6;

// The first queries and keys of one and the same call.
SmallCall first_of(const SmallCall& whole, std::int64_t q_len, std::int64_t kv_len) {
  SmallCall part = whole;
  part.sizes = small_sizes(1, 1, q_len, kv_len, channels);
  part.q.resize(static_cast<std::size_t>(q_len * channels));
  part.k.resize(static_cast<std::size_t>(kv_len * channels));
  part.v.resize(static_cast<std::size_t>(kv_len * channels));
  return part;
}

struct Length {
  std::int64_t q_len, kv_len;
};
constexpr Length lengths[] = {{1, 7}, {4, 7}, {16, 7}, {4, 8}, {4, 9}, {4, 10}, {4, 11}};

}  // namespace

Experiment length_experiment() {
  Experiment found{.letter = 'C',
                   .title = "Lengths: queries count the answers, keys only how far they read",
                   .setting =
                       "One head; the first 1, 4 or 16 queries of a list over the first 7 to 11 keys of another. Worst "
                       "of all paths.",
                   .expected =
                       "out has q_len x 8 elements, whatever kv_len; row sums are 1 within 1e-06; more queries leave "
                       "the rows that were\n"
                       "          there as they were; more keys change them, and hiding the new keys again (lengths = "
                       "7) brings them "
                       "back\n          (both within 1e-06)",
                   .seen = {},
                   .table = Table({"q_len x kv_len", "elements of out", "row sum error", "old rows differ",
                                   "moved by new keys", "back after hiding", "verdict"})};
  found.holds = true;
  const SmallCall whole = normal_call(small_sizes(1, 1, most_queries, most_keys, channels), 3);
  constexpr std::int64_t seven[] = {fewest_keys};
  double worst = 0.0, least_moved = 1e9;
  for (const auto [q_len, kv_len] : lengths) {
    std::int64_t written = -1;
    double sum_error = 0.0, old_rows = 0.0, moved = 1e9, back = 0.0;
    for (const Way& way : all_ways()) {
      const SmallCall call = first_of(whole, q_len, kv_len);
      const SmallAnswer answer = attend(call, way);
      const SmallAnswer most = attend(first_of(whole, most_queries, kv_len), way);
      const SmallAnswer few_keys = attend(first_of(whole, q_len, fewest_keys), way);
      const SmallAnswer hidden = attend(call, way, {.lengths = seven});
      if (written < 0 || answer.out_elements_written != q_len * channels) written = answer.out_elements_written;
      sum_error = std::max(sum_error, row_sum_error(answer.weights, kv_len));
      old_rows = std::max(old_rows, largest_difference(answer.out, std::span(most.out).first(answer.out.size())));
      moved = std::min(moved, largest_difference(answer.out, few_keys.out));
      back = std::max(back, largest_difference(hidden.out, few_keys.out));
    }
    const bool has_new_keys = kv_len > fewest_keys;
    const bool holds = written == q_len * channels && sum_error <= 1e-6 && old_rows <= same && back <= same &&
                       (has_new_keys ? moved > 1e-3 : moved <= same);
    found.holds = found.holds && holds;
    worst = std::max({worst, old_rows, back});
    if (has_new_keys) least_moved = std::min(least_moved, moved);
    found.table.add({text("%lld x %lld", static_cast<long long>(q_len), static_cast<long long>(kv_len)),
                     std::to_string(written), number(sum_error), number(old_rows), has_new_keys ? number(moved) : "-",
                     number(back), verdict(holds)});
  }
  found.seen = "rows that should stay differ by at most " + number(worst) + "; new keys move the answer by at least " +
               number(least_moved);
  return found;
}

}  // namespace heed::audit
