// SPDX-License-Identifier: Apache-2.0
// Runs the experiments and prints them.
#include "audit/experiments.hpp"

#include <algorithm>

#include "audit/text.hpp"

namespace heed::audit {

std::vector<Experiment> all_experiments() {
  return {scale_experiment(), padding_experiment(), length_experiment(), stability_experiment()};
}

bool all_hold(const std::vector<Experiment>& experiments) {
  return std::all_of(experiments.begin(), experiments.end(), [](const Experiment& one) { return one.holds; });
}

void print_experiments(std::ostream& out, const std::vector<Experiment>& experiments) {
  for (const Experiment& one : experiments) {
    out << "== " << one.letter << ". " << one.title << "\n\n"
        << one.setting << "\nexpected: " << one.expected << "\n\n";
    one.table.print(out);
    out << "\nseen: " << one.seen << "\nverdict: " << verdict(one.holds) << "\n\n";
  }
  out << "experiments:";
  for (const Experiment& one : experiments) out << ' ' << one.letter << ' ' << verdict(one.holds);
  out << '\n';
}

}  // namespace heed::audit
