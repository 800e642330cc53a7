// SPDX-License-Identifier: Apache-2.0
// Draws the matrix. Each cell names its row, its key and its weight with all digits when pointed at.
#include "audit/picture.hpp"

#include <cmath>

#include "audit/html.hpp"
#include "audit/layout.hpp"
#include "audit/style.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr std::size_t longest_label = 20;
constexpr std::int64_t most_keys = 256;
constexpr std::size_t most_bytes = 1600000;

std::string label_of(const Labels& labels, std::int64_t index) {
  return shortened(labels.numbered(index), longest_label);
}

std::size_t longest(const Labels& labels, const std::vector<std::int64_t>& indices) {
  std::size_t most = 0;
  for (const std::int64_t index : indices) most = std::max(most, characters(label_of(labels, index)));
  return most;
}

std::string rect(int x, int y, double width, double height, const std::string& kind, const std::string& title) {
  return text("<rect x=\"%d\" y=\"%d\" width=\"%.4g\" height=\"%.4g\" class=\"%s\">", x, y, width, height,
              kind.c_str()) +
         "<title>" + title + "</title></rect>";
}

std::string words(double x, double y, const char* anchor, const std::string& content, const char* kind = "") {
  return text("<text x=\"%.4g\" y=\"%.4g\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, kind) + escaped(content) +
         "</text>\n";
}

class Picture {
 public:
  Picture(const Shown& shown, const Drawn& drawn)
      : shown_(shown),
        drawn_(drawn),
        layout_(drawn.rows.size(), drawn.keys.size(), longest(shown.row_labels, rows_of(shown, drawn)),
                longest(shown.key_labels, drawn.keys)) {
    for (std::size_t n = 0; n < shown.weights.size(); ++n) {
      const auto weight = static_cast<double>(shown.weights[n]);
      if (std::isfinite(weight)) largest_ = std::max(largest_, weight);
      has_errors_ = has_errors_ || !std::isfinite(weight) || (weight != 0.0 && shown.blocked[n] != 0);
    }
  }

  const PictureLayout& layout() const { return layout_; }

  std::string content() const {
    return std::string(
               "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
               "patternTransform=\"rotate(45)\"><path class=\"line\" d=\"M1 0v5\"/></pattern></defs>\n") +
           key_labels() + cells() + entropies() + key_bars() + legend();
  }

  static std::vector<std::int64_t> rows_of(const Shown& shown, const Drawn& drawn) {
    std::vector<std::int64_t> rows;
    for (const std::int64_t place : drawn.rows) rows.push_back(shown.rows[static_cast<std::size_t>(place)].row);
    return rows;
  }

 private:
  // A gap between cells shows where one ends, once they are large enough.
  static int inked(int cell) { return cell >= 10 ? cell - 1 : cell; }
  int ink_width() const { return inked(layout_.cell_width); }
  int ink_height() const { return inked(layout_.cell_height); }

  std::string key_labels() const {
    std::string svg;
    const double y = layout_.top - 6;
    for (std::size_t n = 0; n < drawn_.keys.size(); n += static_cast<std::size_t>(layout_.key_step)) {
      const double x =
          layout_.left + (static_cast<double>(n) + 0.5) * layout_.cell_width + (layout_.is_slanted ? 0 : 4);
      svg += text("<text transform=\"translate(%.4g,%.4g) rotate(%d)\">", x, y, layout_.is_slanted ? -45 : -90) +
             escaped(label_of(shown_.key_labels, drawn_.keys[n])) + "</text>\n";
    }
    return svg + words(layout_.left - 8, y, "end", "row ↓ key →", "soft");
  }

  std::string cells() const {
    std::string svg = "<g shape-rendering=\"crispEdges\" class=\"cells\">\n";
    for (std::size_t n = 0; n < drawn_.rows.size(); ++n) {
      const auto place = static_cast<std::size_t>(drawn_.rows[n]);
      const std::int64_t row = shown_.rows[place].row;
      const int y = layout_.top + static_cast<int>(n) * layout_.cell_height;
      if (n % static_cast<std::size_t>(layout_.row_step) == 0)
        svg += words(layout_.left - 8, y + layout_.cell_height / 2.0 + 4, "end", label_of(shown_.row_labels, row));
      svg += text("<g transform=\"translate(%d,%d)\">", layout_.left, y);
      for (std::size_t k = 0; k < drawn_.keys.size(); ++k) svg += cell(place, row, static_cast<int>(k));
      svg += "</g>\n";
    }
    return svg + "</g>\n";
  }

  std::string cell(std::size_t place, std::int64_t row, int column) const {
    const std::int64_t key = drawn_.keys[static_cast<std::size_t>(column)];
    const auto weight = static_cast<double>(shown_.weight(place, key));
    std::string title = "row " + std::to_string(row) + ", key " + std::to_string(key);
    if (shown_.row_labels.is_given() || shown_.key_labels.is_given())
      title += " (" + escaped(shortened(shown_.row_labels.at(row), longest_label)) + " → " +
               escaped(shortened(shown_.key_labels.at(key), longest_label)) + ")";
    std::string kind = text("w%d", shade_of(weight));
    if (!std::isfinite(weight)) kind = "nan";
    // A blocked key that got a weight says so, and is drawn as an error.
    if (shown_.is_blocked(place, key)) {
      kind = weight == 0.0 ? "blocked" : "nan";
      title += ": blocked";
      if (weight != 0.0) title += ", and yet " + number("%.9g", weight);
    } else {
      title.append(": ").append(number("%.9g", weight));
    }
    return rect(column * layout_.cell_width, 0, ink_width(), ink_height(), kind, title);
  }

  int shade_of(double weight) const {
    if (!(largest_ > 0.0) || !std::isfinite(weight)) return 0;
    return std::clamp(static_cast<int>(std::lround(weight / largest_ * (shades - 1))), 0, shades - 1);
  }

  std::string entropies() const {
    std::string svg = "<g class=\"entropies\">\n";
    const double most = std::log(static_cast<double>(std::max<std::int64_t>(shown_.kv_len, 2)));
    const int x = layout_.entropy_left();
    for (std::size_t n = 0; n < drawn_.rows.size(); ++n) {
      const ShownRow& row = shown_.rows[static_cast<std::size_t>(drawn_.rows[n])];
      const int y = layout_.top + static_cast<int>(n) * layout_.cell_height;
      const double width = std::isfinite(row.entropy) ? row.entropy / most * PictureLayout::entropy_width : 0.0;
      svg += rect(x, y + layout_.cell_height / 5, std::max(width, 0.5), std::max(layout_.cell_height * 0.6, 2.0), "bar",
                  text("row %lld: entropy %.6f nats", static_cast<long long>(row.row), row.entropy));
      if (n % static_cast<std::size_t>(layout_.row_step) == 0)
        svg += words(x + std::max(width, 0.0) + 5, y + layout_.cell_height / 2.0 + 4, "start",
                     number("%.2f", row.entropy), "soft");
    }
    svg += text("<path class=\"axis\" d=\"M%d.5 %dV%d\"/>\n</g>\n", x - 1, layout_.top - 2, layout_.bottom() + 2);
    const int y = layout_.bottom() + 18;
    return svg + words(x, y, "start", "entropy of the row, nats") +
           words(x, y + 16, "start", text("full width: ln %lld = %.2f", static_cast<long long>(shown_.kv_len), most),
                 "soft");
  }

  std::string key_bars() const {
    double most = 0.0;
    for (const std::int64_t key : drawn_.keys) most = std::fmax(most, shown_.key_sums[static_cast<std::size_t>(key)]);
    std::string svg = "<g class=\"keys\">\n";
    const int base = layout_.key_bars_top() + PictureLayout::key_bars_height;
    for (std::size_t n = 0; n < drawn_.keys.size(); ++n) {
      const double sum = shown_.key_sums[static_cast<std::size_t>(drawn_.keys[n])];
      const double height = most > 0.0 && std::isfinite(sum) ? sum / most * (PictureLayout::key_bars_height - 14) : 0.0;
      const int x = layout_.left + static_cast<int>(n) * layout_.cell_width;
      const int top = base - static_cast<int>(std::lround(height));
      svg += rect(x, top, ink_width(), base - top, "bar",
                  text("key %lld: weight %.6f, summed over the rows", static_cast<long long>(drawn_.keys[n]), sum));
      if (layout_.cell_width >= 28) svg += words(x + ink_width() / 2.0, top - 3, "middle", text("%.2f", sum), "soft");
    }
    svg += text("<path class=\"axis\" d=\"M%d %d.5H%d\"/>\n</g>\n", layout_.left - 2, base, layout_.right() + 2);
    return svg + words(layout_.left - 8, base - 20, "end", "weight of") +
           words(layout_.left - 8, base - 5, "end", "the key, sum");
  }

  std::string legend() const {
    constexpr int step = 7;
    const int x = layout_.left, y = layout_.height() - 60;
    std::string svg = "<g class=\"legend\" shape-rendering=\"crispEdges\">\n" + words(x - 8, y + 12, "end", "weight");
    for (int n = 0; n < shades; ++n)
      svg += text("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\" class=\"w%d\"/>", x + n * step, y, step, n);
    const int end = x + shades * step;
    svg += words(x, y + 31, "start", "0", "soft") +
           words((x + end) / 2.0, y + 31, "middle", text("%.3g", largest_ / 2), "soft") +
           words(end, y + 31, "end", text("%.3g", largest_), "soft");
    const int blocked = end + 28;
    svg += text("<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"16\" class=\"blocked\"/>", blocked, y) +
           words(blocked + 23, y + 12, "start", "blocked: may not be read");
    if (has_errors_)
      svg += text("<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"16\" class=\"nan\"/>", blocked, y + 22) +
             words(blocked + 23, y + 34, "start", "not a number, or blocked and yet not 0");
    return svg + "</g>\n";
  }

  const Shown& shown_;
  const Drawn& drawn_;
  PictureLayout layout_;
  double largest_ = 0.0;
  bool has_errors_ = false;
};

// Only a file of its own has to name SVG's namespace.
std::string opening(const PictureLayout& layout, const Shown& shown, const char* name_space) {
  return text("<svg%s width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" ", name_space, layout.width(),
              layout.height(), layout.width(), layout.height()) +
         text("aria-label=\"Attention weights of head %lld, batch item %lld\">\n", static_cast<long long>(shown.h),
              static_cast<long long>(shown.b));
}

}  // namespace

Drawn drawn_of(const Shown& shown) {
  Drawn drawn;
  drawn.keys = evenly_spread(0, shown.kv_len, most_keys);
  const auto keys = static_cast<std::int64_t>(drawn.keys.size());
  // A cell takes 110 bytes and its two labels.
  std::size_t bytes = 0;
  for (const std::int64_t key : drawn.keys)
    bytes += 110 + escaped(shortened(shown.key_labels.at(key), longest_label)).size();
  std::size_t widest = 0;
  for (const ShownRow& row : shown.rows)
    widest = std::max(widest, escaped(shortened(shown.row_labels.at(row.row), longest_label)).size());
  bytes += static_cast<std::size_t>(keys) * widest;
  const auto rows = static_cast<std::int64_t>(shown.rows.size());
  drawn.rows = evenly_spread(
      0, rows, std::max<std::int64_t>(static_cast<std::int64_t>(most_bytes / std::max<std::size_t>(bytes, 1)), 1));
  drawn.has_all_rows = static_cast<std::int64_t>(drawn.rows.size()) == rows && !shown.is_sample();
  drawn.has_all_keys = keys == shown.kv_len;
  return drawn;
}

std::string picture(const Shown& shown, const Drawn& drawn) {
  const Picture drawing(shown, drawn);
  return opening(drawing.layout(), shown, "") + drawing.content() + "</svg>\n";
}

std::string picture_file(const Shown& shown) {
  const Drawn drawn = drawn_of(shown);
  const Picture drawing(shown, drawn);
  return opening(drawing.layout(), shown, " xmlns=\"http://www.w3.org/2000/svg\"") + "<style>" +
         picture_style(Scheme::light) + "</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" class=\"paper\"/>\n" +
         drawing.content() + "</svg>\n";
}

}  // namespace heed::audit
