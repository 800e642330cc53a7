// SPDX-License-Identifier: Apache-2.0
// See experiments_page.hpp.
#include "audit/experiments_page.hpp"

#include "audit/html.hpp"
#include "audit/page.hpp"

namespace heed::audit {
namespace {

std::string section(const Experiment& one) {
  const std::string id(1, one.letter);
  return "<h2 id=\"" + id + "\">" + id + ". " + escaped(one.title) + " " + badge(one.holds) + "</h2>\n<p>" +
         escaped(one.setting) + "</p>\n<p><strong>Expected:</strong> " + escaped(one.expected) + "</p>\n" +
         html_table(one.table, "table-" + id) + "<p><strong>Seen:</strong> " + escaped(one.seen) + "</p>\n";
}

}  // namespace

std::string experiments_page(const std::vector<Experiment>& experiments) {
  std::string body =
      "<h1>heed-audit experiments " + badge(all_hold(experiments)) +
      "</h1>\n<p class=\"soft\">What attention does, in numbers, as the library on this machine computes it.</p>\n";
  for (const Experiment& one : experiments) body += section(one);
  return html_page("heed-audit experiments", body + machine_section());
}

}  // namespace heed::audit
