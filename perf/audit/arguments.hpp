// SPDX-License-Identifier: Apache-2.0
// The command line of heed-audit as data. What the files hold is call.cpp's business.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "heed/attention.hpp"

namespace heed::audit {

// A file behind an option: "--q q.npy" in every message. An empty path: not given.
struct FileArgument {
  const char* option;
  std::string path;
  explicit operator bool() const { return !path.empty(); }
  std::string name() const { return std::string(option) + " " + path; }
};

enum class Layout { bhnd, bnhd };

// What of the weights is looked at: one head of one batch item, and of its query rows [first, end).
struct HeadPlace {
  std::int64_t b = 0, h = 0;
};
struct RowRange {
  std::int64_t first = 0, end = 0;
};

struct Arguments {
  FileArgument q{"--q", {}}, k{"--k", {}}, v{"--v", {}};
  FileArgument key_allowed{"--key-allowed", {}}, key_blocked{"--key-blocked", {}};
  FileArgument mask_allowed{"--mask-allowed", {}}, mask_blocked{"--mask-blocked", {}};
  FileArgument bias{"--bias", {}}, lengths{"--lengths", {}};
  FileArgument expect{"--expect", {}}, expect_lse{"--expect-lse", {}};
  FileArgument out{"--out", {}}, lse{"--lse", {}}, weights{"--weights", {}}, json{"--json", {}};
  FileArgument html{"--html", {}}, svg{"--svg", {}};
  FileArgument row_labels{"--row-labels", {}}, key_labels{"--key-labels", {}};

  std::optional<Position> position;
  bool causal = false;
  Window window;
  std::optional<float> scale;
  float soft_cap = 0.0f;

  Layout layout = Layout::bhnd;  // of 4-D files; a 3-D one is [B, N, H*D]
  std::optional<std::int64_t> heads, kv_heads;

  Path path = Path::streaming;  // the one that --out, --lse and --weights are written by
  std::string isa;
  int threads = 0;

  std::optional<HeadPlace> weights_of;  // (0, 0) where something is shown and this is not given
  std::optional<RowRange> rows;         // all
  bool prints_weights() const { return weights_of || rows; }
  bool shows_weights() const { return prints_weights() || html || svg || row_labels || key_labels; }

  std::string command;  // as typed, for the page
};

// The arguments; or nothing, where the command line is wrong (said on `err`) or asks for help (on
// `out`), and `exit_code` is the answer.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                                         int& exit_code);

}  // namespace heed::audit
