// SPDX-License-Identifier: Apache-2.0
// Puts the page together, in the order in which a reader asks: does it hold, what does it look like, by how
// much, how was it made.
#include "audit/page.hpp"

#include <algorithm>

#include "audit/html.hpp"
#include "audit/shown_tables.hpp"
#include "audit/text.hpp"
#include "machine.hpp"

namespace heed::audit {
namespace {

constexpr std::size_t most_open_lines = 40;
constexpr std::size_t most_keys = 256;

std::string paragraph(const std::string& content, const char* kind = "soft") {
  return std::string("<p class=\"") + kind + "\">" + escaped(content) + "</p>\n";
}

// A narrow window cuts the right side of a table; verdicts are not to be lost there.
Table verdict_second(const Table& table) {
  std::vector<std::vector<std::string>> lines = table.lines();
  for (std::vector<std::string>& line : lines) std::rotate(line.begin() + 1, line.end() - 1, line.end());
  Table moved(lines.front());
  for (std::size_t n = 1; n < lines.size(); ++n) moved.add(lines[n]);
  return moved;
}

std::string verdicts(const Call& call, const AllRowFacts& facts, const Report& report) {
  std::string html = "<h2>Parity</h2>\n" +
                     paragraph(
                         "Each path against the reference path, which is plain loops in double. Hidden weight is the "
                         "largest weight on a key that may not be read.") +
                     html_table(verdict_second(parity_table(call, report)), "parity");
  for (const PathReport& path : report.paths)
    for (const std::string& failure : path.failures) html += paragraph("✗ " + path.path + ": " + failure, "bad");
  for (const AbsentPath& absent : report.absent)
    html += paragraph("Not run: " + absent.path + " (" + absent.reason + ")");
  html += paragraph(visibility_text(call, facts)) + paragraph(bounds_text(facts));
  for (const std::string& note : report.notes) html += paragraph("Note: " + note);
  return html;
}

// What is left out of the picture, if anything is.
std::string sampling(const Shown& shown, const Drawn& drawn) {
  std::string said;
  if (!drawn.has_all_rows)
    said += text(" Sampled: %zu of the %lld rows are drawn, evenly spread.", drawn.rows.size(),
                 static_cast<long long>(shown.range.end - shown.range.first));
  if (!drawn.has_all_keys)
    said += text(" Sampled: %zu of the %lld keys are drawn, evenly spread; sums and entropies are over all keys.",
                 drawn.keys.size(), static_cast<long long>(shown.kv_len));
  return said;
}

constexpr const char* caption = R"(<figcaption>
<p><strong>What this picture proves:</strong> routing, masks and row sums. Each cell is the weight with which one
query row reads one key, as the path computed it; a hatched cell may not be read by the rules of the call and has a
weight of exactly 0; the weights of a row add up to its sum in the table below.</p>
<p><strong>What it cannot prove:</strong> feature importance or causality. A large weight says that a value was
read, not that the answer depends on it: values may be small, cancel, or be overruled by later layers.</p>
<p class="soft">Point at a cell for its exact weight. Shades are linear, from 0 to the largest weight shown. Entropy
is in nats: 0 where a row reads one key, ln n where it reads n keys alike.</p>
</figcaption>
)";

std::string figure(const Shown& shown) {
  const Drawn drawn = drawn_of(shown);
  std::string title = shown_title(shown);
  title[0] = 'W';
  return "<h2>The attention matrix</h2>\n" + paragraph(title + "." + sampling(shown, drawn)) +
         "<figure>\n<div class=\"scroll\">\n" + picture(shown, drawn) + "</div>\n" + caption + "</figure>\n";
}

std::string folded(const std::string& title, const Table& table, const std::string& id) {
  const bool is_open = table.lines().size() <= most_open_lines;
  return "<details" + std::string(is_open ? " open" : "") + "><summary>" + escaped(title) + "</summary>\n" +
         html_table(table, id) + "</details>\n";
}

std::string numbers(const Shown& shown) {
  const std::vector<std::int64_t> keys = heaviest_keys(shown, most_keys);
  const bool has_all = keys.size() == shown.key_sums.size();
  const std::string title = has_all ? "Keys" : text("The %zu keys with the largest weight", keys.size());
  return "<h2>Rows and keys in numbers</h2>\n<div class=\"side\">\n" + folded("Query rows", row_table(shown), "rows") +
         folded(title, key_table(shown, keys), "keys") + "</div>\n";
}

std::string plan(const Arguments& arguments, const Report& report) {
  std::string html = "<h2>How it was made</h2>\n<h3>Command</h3>\n<pre>" + escaped(arguments.command) + "</pre>\n";
  for (const PathReport& path : report.paths)
    if (!path.plan.empty())
      html += "<h3>Plan: " + escaped(path.path) + "</h3>\n<pre>" + escaped(path.plan) + "</pre>\n";
  return html;
}

}  // namespace

std::string badge(bool holds) {
  return std::string("<span class=\"badge ") + (holds ? "good\">✓ ok" : "bad\">✗ FAIL") + "</span>";
}

std::string machine_section() {
  std::string html = "<h2>Machine</h2>\n<dl>\n";
  for (const auto& [name, value] : perf::machine_facts())
    html += "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
  return html + "</dl>\n";
}

std::string audit_page(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report,
                       const Shown* shown) {
  std::string body = "<h1>heed-audit " + badge(report.is_ok()) + "</h1>\n" + paragraph(call_text(call)) +
                     verdicts(call, facts, report);
  body += shown == nullptr ? paragraph("There are no weights to draw.") : figure(*shown) + numbers(*shown);
  return html_page("heed-audit: attention on your tensors", body + plan(arguments, report) + machine_section());
}

}  // namespace heed::audit
