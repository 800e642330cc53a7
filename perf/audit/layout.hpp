// SPDX-License-Identifier: Apache-2.0
// Where things lie in the picture of a matrix, in pixels.
#pragma once

#include <algorithm>
#include <cstddef>

namespace heed::audit {

struct PictureLayout {
  int cell_width = 0, cell_height = 0;
  int row_step = 1, key_step = 1;  // every how manieth is labelled, so that labels do not touch
  bool is_slanted = false;         // key labels: at 45 degrees where cells are wide, else upright
  int left = 0, top = 0;           // of the cells
  int cells_width = 0, cells_height = 0;

  static constexpr int bars_gap = 22, entropy_width = 110, number_width = 44;
  static constexpr int key_bars_height = 64, legend_height = 96;

  PictureLayout(std::size_t rows, std::size_t keys, std::size_t row_characters, std::size_t key_characters) {
    constexpr int widest = 760, narrowest_cell = 3, lowest_cell = 5, largest_cell = 30;
    constexpr int label_height = 14, per_character = 8, least_left = 96;
    cell_width = std::clamp(widest / static_cast<int>(keys), narrowest_cell, largest_cell);
    cell_height = std::clamp(widest / static_cast<int>(rows), lowest_cell, largest_cell);
    row_step = (label_height + cell_height - 1) / cell_height;
    key_step = (label_height + cell_width - 1) / cell_width;
    is_slanted = cell_width >= 20;
    const int key_label = static_cast<int>(key_characters) * per_character;
    left = std::max(static_cast<int>(row_characters) * per_character + 12, least_left);
    top = (is_slanted ? key_label * 7 / 10 : key_label) + 26;
    cells_width = cell_width * static_cast<int>(keys);
    cells_height = cell_height * static_cast<int>(rows);
  }

  int right() const { return left + cells_width; }
  int bottom() const { return top + cells_height; }
  int entropy_left() const { return right() + bars_gap; }
  int key_bars_top() const { return bottom() + bars_gap; }
  // The last slanted label leans out over the bars by its width, which is less than `top`. The legend needs 460.
  int width() const {
    return std::max(entropy_left() + std::max(entropy_width + number_width, is_slanted ? top : 0), left + 460);
  }
  int height() const { return key_bars_top() + key_bars_height + legend_height; }
};

}  // namespace heed::audit
