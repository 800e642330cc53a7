// SPDX-License-Identifier: Apache-2.0
// How this program was built; the build fills in build_facts.cpp.in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::perf {

// Name and value: revision as git described it, compiler, flags, libraries.
std::vector<std::pair<std::string, std::string>> build_facts();

}  // namespace heed::perf
