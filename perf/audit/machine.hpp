// SPDX-License-Identifier: Apache-2.0
// What a report says about the machine it was made on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::audit {

// Name and value, in the order to be read: CPU, threads, ISAs, library, date.
std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace heed::audit
