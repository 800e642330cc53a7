// SPDX-License-Identifier: Apache-2.0
// Escapes text, and writes tables and the document around them.
#include "audit/html.hpp"

#include <algorithm>
#include <cstdint>

#include "audit/style.hpp"

namespace heed::audit {
namespace {

constexpr const char* replacement = "\uFFFD";

// The code point that `text` opens with and how many bytes it takes; 0 bytes where it is not UTF-8.
std::size_t decode(std::string_view text, std::uint32_t& point) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : (lead & 0xF0) == 0xE0       ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t n = 1; n < length; ++n) {
    if (!continues(text[n])) return 0;
    point = point << 6 | (static_cast<unsigned char>(text[n]) & 0x3Fu);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  return point < smallest[length] || is_surrogate || point > 0x10FFFF ? 0 : length;
}

// Line breaks and tabs stay; other controls, of which some turn the direction of the text, do not.
bool is_control(std::uint32_t point) {
  return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0) ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFFFE ||
         point == 0xFFFF;
}

// Verdicts carry a mark beside their colour.
std::string cell(const std::string& text, bool is_head, bool is_name) {
  const std::string tag = is_head || is_name ? "th" : "td";
  const std::string scope = is_head ? " scope=\"col\"" : is_name ? " scope=\"row\"" : "";
  const std::string kind = text == "ok" ? " class=\"good\"" : text == "FAIL" ? " class=\"bad\"" : "";
  const std::string mark = text == "ok" ? "✓ " : text == "FAIL" ? "✗ " : "";
  return "<" + tag + scope + kind + ">" + mark + escaped(text) + "</" + tag + ">";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (std::size_t n = 0; n < text.size();) {
    std::uint32_t point = 0;
    const std::size_t length = decode(text.substr(n), point);
    if (length == 0 || is_control(point)) {
      safe += replacement;
    } else {
      switch (point) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += text.substr(n, length);
      }
    }
    n += std::max<std::size_t>(length, 1);
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (characters(text) <= most) return std::string(text);
  std::size_t end = 0, count = 0;
  for (; end < text.size(); ++end)
    if (!continues(text[end]) && ++count == most) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string html_table(const Table& table, const std::string& id) {
  std::string html = "<div class=\"scroll\"><table id=\"" + escaped(id) + "\">\n";
  bool is_head = true;
  for (const auto& line : table.lines()) {
    html += is_head ? "<thead><tr>" : "<tr>";
    for (std::size_t n = 0; n < line.size(); ++n) html += cell(line[n], is_head, n == 0);
    html += is_head ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
    is_head = false;
  }
  return html + "</tbody></table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>" +
         escaped(title) + "</title>\n<style>\n" + page_style() + picture_style(Scheme::of_reader) +
         "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

}  // namespace heed::audit
