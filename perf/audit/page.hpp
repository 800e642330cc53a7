// SPDX-License-Identifier: Apache-2.0
// The page of --html: verdicts, the picture of the weights and what it can prove, tables, plan, machine.
#pragma once

#include <string>

#include "audit/picture.hpp"
#include "audit/report.hpp"

namespace heed::audit {

// `shown` is null where the call has no weights.
std::string audit_page(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report,
                       const Shown* shown);

// The machine as a section that any page can close with.
std::string machine_section();

// "<span>✓ ok</span>", for headings.
std::string badge(bool holds);

}  // namespace heed::audit
