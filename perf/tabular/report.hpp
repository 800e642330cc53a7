// SPDX-License-Identifier: Apache-2.0
// Figures of a forward pass as tables and as CSV.
#pragma once

#include <ostream>
#include <string>

#include "tabular/probe.hpp"

namespace heed::perf {

inline constexpr double most_difference = 1e-5;  // of two paths on the same inputs

void print_calls(std::ostream& out, const Probe& probe);

// One line of a cost table: seconds of each stage and of all, and what was resident at most.
std::string cost_header();
std::string cost_line(std::int64_t rows, std::int64_t features, const Probe& probe, double peak_mib);

double largest_difference(const Probe& probe);

std::string tabular_csv_header();
std::string tabular_csv_line(std::int64_t rows, std::int64_t features, const Probe& probe, const CallFigures& call,
                             std::size_t path);

}  // namespace heed::perf
