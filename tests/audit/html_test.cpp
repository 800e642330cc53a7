// SPDX-License-Identifier: Apache-2.0
// Text that comes from users never becomes markup.
#include <doctest/doctest.h>

#include <limits>

#include "audit/html.hpp"
#include "audit/text.hpp"

namespace heed::tests {

TEST_CASE("markup in text is escaped, and text stays") {
  using audit::escaped;
  CHECK(escaped("a & b") == "a &amp; b");
  CHECK(escaped("<script>alert(\"x\")</script>") == "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;");
  CHECK(escaped("it's") == "it&#39;s");
  CHECK(escaped("größe → 三 🌧") == "größe → 三 🌧");
  CHECK(escaped("") == "");
}

TEST_CASE("bytes that are not UTF-8, and controls, become replacement characters") {
  using audit::escaped;
  CHECK(escaped("a\x80z") == "a\uFFFDz");
  CHECK(escaped("\xC3") == "\uFFFD");                                // cut short
  CHECK(escaped("\xC0\xBC") == "\uFFFD\uFFFD");                      // an overlong "<"
  CHECK(escaped("\xE0\x80\xBC") == "\uFFFD\uFFFD\uFFFD");            // the same in three bytes
  CHECK(escaped("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
  CHECK(escaped("\xF5\x80\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond Unicode
  CHECK(escaped(std::string("a\0b\x1b", 4)) == "a\uFFFDb\uFFFD");
  CHECK(escaped("a\u202Eb") == "a\uFFFDb");  // would turn the direction of what follows
  CHECK(escaped("a\tb\nc") == "a\tb\nc");
}

TEST_CASE("long names are cut between characters") {
  CHECK(audit::shortened("größe", 5) == "größe");
  CHECK(audit::shortened("größen", 5) == "größ…");
  CHECK(audit::characters("größen") == 6);
  CHECK(audit::shortened("abc", 1) == "…");
}

TEST_CASE("tables carry heads, names and verdicts, and escape all cells") {
  audit::Table table({"path", "verdict"});
  table.add({"<b>", "ok"});
  table.add({"x", "FAIL"});
  const std::string html = audit::html_table(table, "t");
  CHECK(html.find("<th scope=\"col\">path</th>") != std::string::npos);
  CHECK(html.find("<th scope=\"row\">&lt;b&gt;</th><td class=\"good\">✓ ok</td>") != std::string::npos);
  CHECK(html.find("<td class=\"bad\">✗ FAIL</td>") != std::string::npos);
}

TEST_CASE("numbers as text") {
  CHECK(audit::number(0.0) == "0");
  CHECK(audit::number(1.25e-7) == "1.25e-07");
  CHECK(audit::number(-std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(audit::number("%.2f", 0.5) == "0.50");
}

}  // namespace heed::tests
