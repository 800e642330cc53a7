// SPDX-License-Identifier: Apache-2.0
// Pieces of a page: text that is safe in HTML and SVG, tables, and the page around them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "audit/table.hpp"

namespace heed::audit {

// Text as it stands between tags or in a quoted attribute. Control characters and bytes that are not UTF-8
// become U+FFFD.
std::string escaped(std::string_view text);

// At most `most` characters of UTF-8, the last of them an ellipsis where something was cut; not escaped.
std::string shortened(std::string_view text, std::size_t most);

std::string html_table(const Table& table, const std::string& id);

// A whole document that loads nothing.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace heed::audit
