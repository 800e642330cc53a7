// SPDX-License-Identifier: Apache-2.0
// One path run on the call and judged: against the reference path, against the user's own answer,
// and by its weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/weights_check.hpp"

namespace heed::audit {

// What a path wrote, in the layout of q. Elements that it left out stay NaN.
struct Outputs {
  std::vector<float> out, lse, weights;
};

struct PathReport {
  std::string path;
  std::string isa;  // "" for paths without one
  int threads = 0;
  std::string spec;
  std::string plan;      // what explain() says, several lines
  bool has_run = false;  // false: the library refused; `failures` says why and the numbers mean nothing
  double seconds = 0.0;
  Difference out, lse;  // against the reference path
  std::optional<Difference> expect, expect_lse;
  WeightsFound weights;
  bool weights_are_sampled = false;
  std::vector<std::string> failures;  // one line for each verdict that does not hold
  bool is_ok() const { return failures.empty(); }
};

// How many bytes of weights are asked for in one call; above, they are sampled.
inline constexpr std::int64_t most_weight_bytes = std::int64_t{1} << 30;

class PathRunner {
 public:
  PathRunner(const Call& call, const AllRowFacts& facts, std::int64_t weight_bytes = most_weight_bytes);

  // Runs and judges. `reference` is null when `path` is the reference path itself. With
  // `keeps_weights` all of them are asked for in one call, whatever their size.
  PathReport run(Path path, const Outputs* reference, bool keeps_weights, Outputs& outputs) const;

  bool samples_weights() const { return samples_weights_; }

 private:
  Status attend(Path path, Outputs& outputs, bool with_weights) const;
  void compare_outputs(Path path, const Outputs& outputs, const Outputs& reference, PathReport& report) const;
  Status judge_weights(Path path, const Outputs& outputs, const Outputs& reference, bool is_whole, Outputs& second,
                       PathReport& report) const;

  const Call& call_;
  const AllRowFacts& facts_;
  bool samples_weights_ = false;
};

}  // namespace heed::audit
