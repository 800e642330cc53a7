// SPDX-License-Identifier: Apache-2.0
// How a call will be done: path, ISA, tiles, threads, scratch, and why not otherwise. A pure function
// of the problem, the options and the machine; allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "dispatch/kernel_table.hpp"
#include "plan/key_parts.hpp"
#include "plan/problem.hpp"
#include "plan/score_block.hpp"
#include "plan/tile_shape.hpp"

namespace heed {

// What the plan needs to know about where it runs.
struct Machine {
  int caller_threads = 1;               // threads the caller's OpenMP would use here
  const char* why_serial = nullptr;     // a call here has one thread; null: as many as it asks for
  bool has_onednn = false;              // the path is in this build
  const char* isa_override = nullptr;   // HEED_ISA, null when unset
  const char* path_override = nullptr;  // HEED_PATH, null when unset
};

struct Plan {
  Path path = Path::streaming;
  const KernelTable* kernels = nullptr;  // of attention: streaming only
  TileShape tile;                        // streaming only
  RowPartition rows;                     // streaming only
  bool has_few_rows = false;             // streaming only: attend_few of the kernels
  KeyParts parts;                        // streaming only
  std::size_t part_floats = 0;           // of the parts of one item
  ScoreBlock scores;                     // onednn only
  std::size_t table_floats = 0;          // query scaling: factors, shared by the threads
  std::size_t scaler_floats = 0;         // query scaling: of each thread
  std::int64_t items = 0;                // units of work shared among the threads
  std::int64_t items_per_chunk = 1;
  int threads = 1;
  std::size_t scratch_bytes_per_thread = 0;
  std::size_t scratch_bytes = 0;  // all threads, shared parts and alignment slack included

  struct Reason {
    const char* name = nullptr;  // of a path or an ISA, or "more threads"
    const char* why = nullptr;
  };
  std::array<Reason, 8> reasons{};  // what was not taken; unused entries have a null name
};

// Rows of the largest work item of the streaming path.
inline std::size_t most_item_rows(const Plan& plan) {
  return plan.has_few_rows ? max_few_rows : max_row_tiles * plan.tile.rows;
}

// Scratch regions are aligned to cache lines, so that no two threads share one.
inline constexpr std::size_t scratch_alignment = 64;

// The kernels of an ISA by name; of the best that runs here, or of what HEED_ISA names, where it is empty.
Status choose_kernels(std::string_view isa, const Machine& machine, const KernelTable*& kernels);

Status make_plan(const Problem& problem, const Options& options, const Machine& machine, Plan& plan);

// The machine as it is; reads HEED_PATH (HEED_ISA is read in dispatch/isa.cpp).
Machine this_machine(int caller_threads, const char* why_serial, bool has_onednn);

}  // namespace heed
