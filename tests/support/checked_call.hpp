// SPDX-License-Identifier: Apache-2.0
// Runs one call in every way and holds out, lse, weights and row sums against the answer in float64.
// Outputs and scratch are NaN before each run and touch an unmapped page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/classes.hpp"
#include "support/for_each_isa.hpp"
#include "support/guarded_tensor.hpp"
#include "support/oracle.hpp"
#include "workload.hpp"

namespace heed::tests {

// Inputs, options without outputs, and what the call is called in a message.
struct Call {
  ConstTensor q, k, v;
  Options options{};
  std::string spec{};
  std::optional<Dims> out_strides{};

  Dims out_shape() const { return {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}; }
  Dims lse_shape() const { return {q.shape[0], q.shape[1], q.shape[2], 1}; }
  Dims weights_shape() const { return {q.shape[0], q.shape[1], q.shape[2], k.shape[2]}; }
};
Call call_of(const perf::Workload& workload);

struct Outputs {
  GuardedTensor out, lse, weights;
  Status status;
  Path path = Path::streaming;
};
// classes: read in the place of v, where they are given.
Outputs run_call(const Call& call, const Way& way, int threads, bool wants_weights, Edge edge = Edge::end,
                 const std::optional<ClassIndices>& classes = {});

class CheckedCall {
 public:
  explicit CheckedCall(Call call);

  // Each answers "" or the first thing that is wrong.
  std::string check(const Outputs& outputs, const std::string& how) const;
  std::string run(const Way& way, int threads, bool wants_weights) const;
  // Every path, ISA and thread count, with and without weights; a way's bits are the same in all.
  std::string run_everywhere(const std::vector<int>& threads = {1, 2}) const;

  const Call& call() const { return call_; }

  struct Errors {
    double largest = 0.0;      // |out - answer|
    double bound_share = 0.0;  // the largest, as a share of what error_bound() allows its row
  };
  Errors errors(const Outputs& outputs) const;

 private:
  Call call_;
  std::vector<RowAnswer> answers_;  // [batch, q_heads, q_len]
};

// Parses the spec, makes its tensors and runs them everywhere.
std::string run_spec_everywhere(const std::string& spec, const std::vector<int>& threads = {1, 2});

}  // namespace heed::tests
