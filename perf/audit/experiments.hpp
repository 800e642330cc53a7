// SPDX-License-Identifier: Apache-2.0
// Four experiments about what attention does, on calls that the tool makes up: each says what was
// expected, measures it on the library, and judges.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "audit/table.hpp"

namespace heed::audit {

struct Experiment {
  char letter = 'A';
  std::string title;
  std::string setting;   // what is done
  std::string expected;  // said before it is done
  std::string seen;      // the numbers that decide
  Table table;           // all numbers
  bool holds = false;
};

// A. Scores with and without 1/sqrt(head_dim): variance, entropy of the weights, size of the gradient.
Experiment scale_experiment();
// B. A batch whose second item has padding keys.
Experiment padding_experiment();
// C. 1, 4 and 16 queries over one context; 7 to 11 keys under 4 queries.
Experiment length_experiment();
// D. Scores that exp in float32 cannot hold unless the maximum is subtracted first.
Experiment stability_experiment();

std::vector<Experiment> all_experiments();  // throws Error where the library refuses a call
bool all_hold(const std::vector<Experiment>& experiments);
void print_experiments(std::ostream& out, const std::vector<Experiment>& experiments);

}  // namespace heed::audit
