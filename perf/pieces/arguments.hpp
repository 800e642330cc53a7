// SPDX-License-Identifier: Apache-2.0
// The options of heed-pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "pieces/tile.hpp"

namespace heed::perf {

struct PiecesArguments {
  std::vector<std::string> isas{}, pieces{};
  std::vector<std::size_t> head_dims{};
  std::size_t rows = 0, keys = 0;  // 0: as the library chooses
  double min_seconds = 0.3;
  std::string csv{};
  bool is_quick = false;
};

// Help and mistakes are printed; the exit status is then there.
std::optional<int> parse_command_line(int argc, char** argv, PiecesArguments& arguments);

// A tile of one ISA, whose pieces are measured in turns.
struct PiecesSubject {
  const IsaRow* isa;
  TileSizes sizes;
};

// Both throw ArgumentError.
std::vector<PiecesSubject> subjects_of(const PiecesArguments& arguments);
std::vector<std::string> pieces_of(const PiecesArguments& arguments);

}  // namespace heed::perf
