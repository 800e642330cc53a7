// SPDX-License-Identifier: Apache-2.0
// What the parts of an item's keys leave of each row, and how results are made of them.
#pragma once

#include "paths/item_rows.hpp"

namespace heed {

class PartResults {
 public:
  // floats: part_floats() of them, those of one item; everything outlives this object.
  PartResults(const Plan& plan, const Problem& problem, float* floats)
      : plan_(plan), problem_(problem), floats_(floats) {}

  // A job of all keys, narrowed to those of a part; `rows` become its rows, which write what the part leaves.
  // Weights stay where they are: each part writes those of its keys. A sink counts as a key of the first part.
  TileJob narrow(TileJob job, std::int64_t part, TileRow* rows) const;

  // out, lse and weights of the rows of a job of all keys.
  void merge(const TileJob& job) const;

 private:
  float* place(std::int64_t part, std::size_t row) const;

  const Plan& plan_;
  const Problem& problem_;
  float* floats_;
};

}  // namespace heed
