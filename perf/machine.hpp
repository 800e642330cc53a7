// SPDX-License-Identifier: Apache-2.0
// What reports say about the machine they were made on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::perf {

// Name and value, in the order to be read: CPU, threads, caches, ISAs, library, date.
std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace heed::perf
