// SPDX-License-Identifier: Apache-2.0
// The style sheets. The scale of weights has one hue (blue) and grows in one direction of brightness, away from
// the background, so that it reads the same to colour-blind readers and in grey. Blocked cells are hatched in grey.
#include "audit/style.hpp"

#include <array>
#include <cmath>

#include "audit/text.hpp"

namespace heed::audit {
namespace {

using Colour = std::array<double, 3>;
// Evenly spaced along the scale, weight 0 first; between them colours are mixed.
using Scale = std::array<Colour, 5>;
constexpr Scale on_light = {{{240, 245, 251}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};
constexpr Scale on_dark = {{{24, 36, 54}, {30, 72, 120}, {47, 125, 187}, {127, 189, 230}, {232, 245, 255}}};

std::string shade(const Scale& scale, int n) {
  const double place = static_cast<double>(n) / (shades - 1) * static_cast<double>(scale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), scale.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto mixed = [&](std::size_t c) {
    return static_cast<int>(std::lround(scale[below][c] * (1.0 - part) + scale[below + 1][c] * part));
  };
  return text("#%02x%02x%02x", mixed(0), mixed(1), mixed(2));
}

std::string scale_rules(const Scale& scale) {
  std::string rules;
  for (int n = 0; n < shades; ++n) rules += text(".w%d{fill:%s}", n, shade(scale, n).c_str());
  return rules + "\n";
}

constexpr const char* light_colours =
    "--paper:#ffffff;--panel:#f6f7f9;--ink:#1b1f24;--soft:#57606a;--line:#d5dae0;--hatch:#8b949e;"
    "--bar:#2171b5;--good:#116329;--bad:#b3261e";
constexpr const char* dark_colours =
    "--paper:#0f1419;--panel:#171d24;--ink:#e6eaef;--soft:#9aa5b1;--line:#323b46;--hatch:#6e7a87;"
    "--bar:#5aa9dd;--good:#6fd08c;--bad:#ff8a80";

}  // namespace

std::string page_style() {
  return std::string(":root{color-scheme:light dark;") + light_colours +
         "}\n@media (prefers-color-scheme:dark){:root{" + dark_colours +
         "}}\n"
         "*{box-sizing:border-box}\n"
         "body{margin:0;background:var(--paper);color:var(--ink);"
         "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif}\n"
         "main{max-width:1180px;margin:0 auto;padding:28px 24px 56px}\n"
         "h1{font-size:26px;line-height:1.25;margin:0 0 6px}\n"
         "h2{font-size:18px;margin:36px 0 10px;padding-top:14px;border-top:1px solid var(--line)}\n"
         "h3{font-size:15px;margin:22px 0 6px}\n"
         "p{margin:6px 0;max-width:85ch}\n"
         ".soft{color:var(--soft)}\n"
         ".badge{display:inline-block;padding:1px 10px;border-radius:99px;border:1.5px solid;font-size:15px;"
         "font-weight:600;vertical-align:3px;margin-left:8px;white-space:nowrap}\n"
         ".good{color:var(--good)}.bad{color:var(--bad)}\n"
         "td.good,td.bad{font-weight:600}\n"
         ".scroll{overflow-x:auto;margin:10px 0}\n"
         "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}\n"
         "th,td{padding:4px 8px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}\n"
         "th:first-child,td:first-child{text-align:left;padding-left:2px}\n"
         "thead th{color:var(--soft);font-weight:600;vertical-align:bottom;border-bottom:1.5px solid var(--soft)}\n"
         "thead th{white-space:normal;line-height:1.25}\n"
         "tbody th{font-weight:500}\n"
         "pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:10px 14px;"
         "font:13px/1.5 ui-monospace,\"DejaVu Sans Mono\",monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
         "figure{margin:14px 0}\n"
         "figcaption{max-width:85ch}\n"
         "summary{cursor:pointer;font-weight:600;margin:14px 0 4px}\n"
         "dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:10px 0}\n"
         "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
         ".side{display:flex;flex-wrap:wrap;gap:0 32px;align-items:flex-start}\n"
         "@media (max-width:640px){main{padding:16px 12px 40px}h1{font-size:21px}dl{grid-template-columns:1fr;gap:0}"
         "dd{margin-bottom:8px}}\n"
         "@media print{:root{" +
         light_colours +
         "}body{font-size:11px}main{max-width:none;padding:0}table{font-size:10px}th,td{padding:2px 6px}"
         ".scroll{overflow:visible}svg{max-width:100%;height:auto}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}"
         "}\n";
}

std::string picture_style(Scheme scheme) {
  std::string rules =
      "svg{display:block}svg text{fill:var(--ink);font:12px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\","
      "sans-serif}svg .soft{fill:var(--soft)}svg .bar{fill:var(--bar)}svg .axis{stroke:var(--line);fill:none}"
      "svg .blocked{fill:url(#hatch)}svg .line{stroke:var(--hatch)}svg .nan{fill:var(--bad)}\n";
  if (scheme == Scheme::light)
    return std::string("svg{") + light_colours + "}svg .paper{fill:var(--paper)}" + rules + scale_rules(on_light);
  return rules + scale_rules(on_light) + "@media screen and (prefers-color-scheme:dark){" + scale_rules(on_dark) +
         "}\n";
}

}  // namespace heed::audit
