// SPDX-License-Identifier: Apache-2.0
// Numbers as text, the same on the terminal and on the page; and how long text is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::audit {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);  // at most 255 bytes

std::string number(double value);  // "0", "NaN", or three digits with an exponent: for errors
// One conversion of a double; "NaN" whatever its sign.
[[gnu::format(printf, 1, 0)]] std::string number(const char* format, double value);
std::string verdict(bool holds);  // "ok" or "FAIL"

// Of UTF-8: does the byte belong to the character before it, and how many characters are there?
inline bool continues(char byte) { return (byte & 0xC0) == 0x80; }
std::size_t characters(std::string_view utf8);

}  // namespace heed::audit
