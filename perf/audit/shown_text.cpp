// SPDX-License-Identifier: Apache-2.0
// The shown rows and keys as tables on the terminal.
#include <ostream>

#include "audit/shown.hpp"
#include "audit/shown_tables.hpp"

namespace heed::audit {
namespace {

constexpr std::size_t most_keys = 64;

}  // namespace

void print_shown(std::ostream& out, const Shown& shown) {
  out << '\n' << shown_title(shown) << "\n\n";
  row_table(shown).print(out);
  out << '\n';
  const std::vector<std::int64_t> keys = heaviest_keys(shown, most_keys);
  key_table(shown, keys).print(out);
  if (keys.size() < shown.key_sums.size())
    out << "the " << keys.size() << " keys with the largest weight, of " << shown.key_sums.size()
        << "; --json has all of them\n";
}

}  // namespace heed::audit
