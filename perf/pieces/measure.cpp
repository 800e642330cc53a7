// SPDX-License-Identifier: Apache-2.0
// The list of pieces, and their turns.
#include "pieces/measure.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "pieces/tile_checks.hpp"
#include "timer.hpp"

namespace heed::perf {
namespace {

constexpr std::uint64_t seed = 1;

// Of one cell: seven FMA, a subtraction and a product in exp (kernels/exp.hpp); in softmax a subtraction before it
// and an addition after it. Comparisons and shifts are no flops.
constexpr double exp_flops = 16.0, softmax_flops = 18.0;

struct Piece {
  const char* name;
  void (*run)(const KernelParts&, const Tile&);
  TileCheck (*check)(const Tile&);
  double (*flops_of_cell)(const TileSizes&);
  std::size_t (*channels_read)(const TileSizes&);  // of each key
};

std::size_t none(const TileSizes&) { return 0; }
std::size_t of_keys(const TileSizes& sizes) { return sizes.head_dim; }
std::size_t of_values(const TileSizes& sizes) { return sizes.value_dim; }

constexpr std::array pieces = {
    Piece{"score", [](const KernelParts& parts, const Tile& tile) { parts.score(tile.part); },
          [](const Tile& tile) { return check_scores(tile.part); },
          [](const TileSizes& sizes) { return 2.0 * static_cast<double>(sizes.head_dim); }, of_keys},
    Piece{"exp",
          [](const KernelParts& parts, const Tile& tile) {
            parts.exp(tile.part.scores, tile.part.weights, tile.cells());
          },
          [](const Tile& tile) { return check_exp(tile.part.scores, tile.part.weights, tile.cells()); },
          [](const TileSizes&) { return exp_flops; }, none},
    Piece{"softmax", [](const KernelParts& parts, const Tile& tile) { parts.softmax(tile.part); },
          [](const Tile& tile) { return check_softmax(tile.part); }, [](const TileSizes&) { return softmax_flops; },
          none},
    Piece{"weigh", [](const KernelParts& parts, const Tile& tile) { parts.weigh(tile.part); },
          [](const Tile& tile) { return check_weigh(tile.part); },
          [](const TileSizes& sizes) { return 2.0 * static_cast<double>(sizes.head_dim) + softmax_flops; }, of_keys},
    Piece{"value", [](const KernelParts& parts, const Tile& tile) { parts.value(tile.part); },
          [](const Tile& tile) { return check_values(tile.part); },
          [](const TileSizes& sizes) { return 2.0 * static_cast<double>(sizes.value_dim); }, of_values},
};

// Each piece has a tile of its own, so that none needs another one to be right.
struct Run {
  const Piece& piece;
  const KernelParts& parts;
  Tile tile;
  TileCheck check{};
  Sampler sampler{};

  Run(const Piece& of_list, const KernelParts& of_isa, const TileSizes& sizes)
      : piece(of_list), parts(of_isa), tile(sizes, seed) {
    call();
    check = piece.check(tile);
    tile.part.tiles_before = 1;
    call();
    tile.part.tiles_before = 2;  // from here on a tile among many: nothing is raised, and sums have lost something
  }
  void call() const { piece.run(parts, tile); }
};

PieceRow row_of(const Run& run, const IsaRow& isa, const TileSizes& sizes, const RateMeter& meter,
                const Bandwidth& bandwidth) {
  const double seconds = run.sampler.median_seconds();
  const auto cells = static_cast<double>(run.tile.cells());
  const double flops_per_second = cells * run.piece.flops_of_cell(sizes) / seconds;
  const auto bytes = static_cast<double>(sizeof(float) * sizes.keys * run.piece.channels_read(sizes));
  PieceRow row;
  row.isa = isa.name;
  row.piece = run.piece.name;
  row.sizes = sizes;
  row.median_us = 1e6 * seconds;
  row.spread_pct = run.sampler.spread_pct();
  row.samples = run.sampler.samples();
  row.gflops = 1e-9 * flops_per_second;
  row.gelements_s = 1e-9 * cells / seconds;
  row.peak_pct = 100.0 * flops_per_second / meter.flops_per_second();
  if (bytes > 0.0) row.bandwidth_pct = 100.0 * bytes / seconds / bandwidth.read();
  row.max_err = run.check.max_err;
  row.peak_gflops = 1e-9 * meter.flops_per_second();
  row.read_gbytes_s = 1e-9 * bandwidth.read();
  row.instructions_per_cycle = meter.instructions_per_cycle();
  row.is_wrong = !run.check.holds;
  row.status = row.is_wrong ? "wrong" : is_busy(row.instructions_per_cycle, row.spread_pct) ? "ok busy" : "ok";
  return row;
}

}  // namespace

std::vector<std::string> piece_names() {
  std::vector<std::string> names;
  for (const Piece& piece : pieces) names.emplace_back(piece.name);
  return names;
}

std::vector<PieceRow> measure_pieces(const IsaRow& isa, const TileSizes& sizes, const std::vector<std::string>& names,
                                     double min_seconds, const Bandwidth& bandwidth) {
  std::deque<Run> runs;
  for (const Piece& piece : pieces)
    if (std::find(names.begin(), names.end(), piece.name) != names.end())
      runs.emplace_back(piece, isa.kernels->parts, sizes);
  for (Run& run : runs) run.sampler.warm_up([&run] { run.call(); });
  RateMeter meter(isa.name, 1);
  const double turn_seconds = std::max(0.02, min_seconds / 5.0);
  const auto is_unfinished = [&](const Run& run) { return !run.sampler.has_enough(min_seconds); };
  while (std::any_of(runs.begin(), runs.end(), is_unfinished)) {
    meter.take_window();
    for (Run& run : runs) run.sampler.take_turn([&run] { run.call(); }, turn_seconds);
  }
  meter.take_window();
  std::vector<PieceRow> rows;
  for (const Run& run : runs) rows.push_back(row_of(run, isa, sizes, meter, bandwidth));
  return rows;
}

}  // namespace heed::perf
