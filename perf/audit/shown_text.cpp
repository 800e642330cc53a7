// SPDX-License-Identifier: Apache-2.0
// The shown rows and keys as tables on the terminal.
#include <algorithm>
#include <numeric>
#include <ostream>

#include "audit/shown.hpp"
#include "audit/shown_tables.hpp"

namespace heed::audit {
namespace {

constexpr std::size_t most_keys = 64;

// The keys that receive the most, in their own order.
std::vector<std::int64_t> heaviest_keys(const Shown& shown) {
  std::vector<std::int64_t> keys(shown.key_sums.size());
  std::iota(keys.begin(), keys.end(), 0);
  if (keys.size() <= most_keys) return keys;
  const auto sum = [&](std::int64_t key) { return shown.key_sums[static_cast<std::size_t>(key)]; };
  std::stable_sort(keys.begin(), keys.end(), [&](std::int64_t a, std::int64_t b) { return sum(a) > sum(b); });
  keys.resize(most_keys);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

void print_shown(std::ostream& out, const Shown& shown) {
  out << '\n' << shown_title(shown) << "\n\n";
  row_table(shown).print(out);
  out << '\n';
  const std::vector<std::int64_t> keys = heaviest_keys(shown);
  key_table(shown, keys).print(out);
  if (keys.size() < shown.key_sums.size())
    out << "the " << keys.size() << " keys with the largest weight, of " << shown.key_sums.size()
        << "; --json has all of them\n";
}

}  // namespace heed::audit
