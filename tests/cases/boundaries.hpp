// SPDX-License-Identifier: Apache-2.0
// Compares what heed gives at each step of a model with the golden's own tensor of that name and its tolerance.
#pragma once

#include <string>
#include <vector>

#include "cases/model_steps.hpp"
#include "heed/tensor.hpp"

namespace heed::tests {

class Boundaries {
 public:
  Boundaries(const Golden& golden, std::string where) : golden_(golden), where_(std::move(where)) {}

  // [batch, heads, tokens, channels]; recorded as [batch, tokens, heads, channels], perhaps of the first heads only.
  void compare(const std::string& name, const ConstTensor& got);
  void compare(const std::string& name, const Tokens& got);
  // `wanted` for a tensor that follows from a recorded one; the golden's tolerance times `times`.
  void compare(const std::string& name, std::span<const double> got, std::span<const double> wanted, double times);

  void add(const std::string& failure) { failures_.push_back(where_ + ": " + failure); }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const Golden& golden_;
  std::string where_;
  std::vector<std::string> failures_;
};

// In the order of the recorded tensors, of the first `heads`.
std::vector<double> recorded_order(const ConstTensor& tensor, std::int64_t heads);

}  // namespace heed::tests
