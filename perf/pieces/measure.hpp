// SPDX-License-Identifier: Apache-2.0
// Times the pieces of one ISA on one tile, in turns, and checks what each of them writes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "pieces/tile.hpp"
#include "roofline.hpp"

namespace heed::perf {

struct PieceRow {
  std::string isa{}, piece{};
  TileSizes sizes{};
  double median_us = 0.0, spread_pct = 0.0;
  std::size_t samples = 0;
  double gflops = 0.0;       // exp counts as 16 flops
  double gelements_s = 0.0;  // (row, key) pairs
  double peak_pct = 0.0;
  std::optional<double> bandwidth_pct{};  // if the keys or values that it reads came from memory; empty: it reads none
  double max_err = 0.0;
  double peak_gflops = 0.0, read_gbytes_s = 0.0, instructions_per_cycle = 0.0;
  std::string status{};  // "ok", "ok busy" or "wrong"
  bool is_wrong = false;
};

std::vector<std::string> piece_names();

// A row for each of the pieces named, in the order of piece_names().
std::vector<PieceRow> measure_pieces(const IsaRow& isa, const TileSizes& sizes, const std::vector<std::string>& names,
                                     double min_seconds, const Bandwidth& bandwidth);

}  // namespace heed::perf
