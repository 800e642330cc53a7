// SPDX-License-Identifier: Apache-2.0
// Rows of two runs side by side: which are slower or faster by more than their spread explains.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/measure.hpp"

namespace heed::perf {

// What a comparison needs of a row that was measured and right.
struct Figure {
  std::string preset{}, spec{}, path{}, isa{}, cache{};
  int threads = 1;
  double median_us = 0.0, spread_pct = 0.0;
  double attainable = 0.0;  // GFLOP/s of the roofline above the row when it was measured; 0: not known
  bool is_busy = false;

  bool is_same_row(const Figure& other) const;
};

Figure figure_of(const Row& row);
std::vector<Figure> figures_of(const std::vector<Row>& rows);

// Of the rows in a CSV of heed-sweep, also of versions with fewer columns. Throws ArgumentError with file
// and line.
std::vector<Figure> read_figures(const std::string& path);

enum class Change { none, slower, faster, not_judged };

struct Compared {
  Figure before, after;
  double ratio = 1.0;    // time after / time before
  double machine = 1.0;  // the part of it that the machine explains: attainable before / after, both known
  double margin = 0.0;   // what may be luck, as a share
  Change change = Change::none;
};

// Slower: ratio > (1 + margin) * max(1, machine); faster: the inverse. margin is the larger of 5 %, which
// code moving between builds explains, and half of both spreads' root of squares: a median lies within
// half its samples' spread, and two independent doubts add up so. Busy rows are not judged.
Compared compare(const Figure& before, const Figure& after);

struct Comparisons {
  std::vector<Compared> rows{};
  std::size_t only_before = 0, only_after = 0;

  std::size_t count(Change change) const;
};
Comparisons compare(const std::vector<Figure>& before, const std::vector<Figure>& after);

// A table and a line of counts.
std::string to_text(const Comparisons& comparisons);

}  // namespace heed::perf
