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

struct Arguments {
  FileArgument q{"--q", {}}, k{"--k", {}}, v{"--v", {}};
  FileArgument key_allowed{"--key-allowed", {}}, key_blocked{"--key-blocked", {}};
  FileArgument mask_allowed{"--mask-allowed", {}}, mask_blocked{"--mask-blocked", {}};
  FileArgument bias{"--bias", {}}, lengths{"--lengths", {}};
  FileArgument expect{"--expect", {}}, expect_lse{"--expect-lse", {}};
  FileArgument out{"--out", {}}, lse{"--lse", {}}, weights{"--weights", {}}, json{"--json", {}};

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
};

// The arguments; or nothing, where the command line is wrong (said on `err`) or asks for help (on
// `out`), and `exit_code` is the answer.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                                         int& exit_code);

}  // namespace heed::audit
