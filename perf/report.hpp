// SPDX-License-Identifier: Apache-2.0
// Rows as CSV for programs and as an aligned table for people.
#pragma once

#include <cstdio>
#include <string>

#include "measure.hpp"

namespace heed::perf {

inline constexpr const char* csv_header =
    "preset,spec,path,isa,threads,median_us,spread_pct,gflops,peak_pct,gbytes_s,bandwidth_pct,roofline_pct,max_err,"
    "status";

// printf into a string, up to 511 characters.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

// Without the line's end. Numbers of a row that was not measured are empty.
std::string csv_line(const Row& row);

std::string table_header(std::size_t name_width);
std::string table_line(const Row& row, std::size_t name_width);

}  // namespace heed::perf
