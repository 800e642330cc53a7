// SPDX-License-Identifier: Apache-2.0
// The attention module of a golden, by heed's public calls: step by step, each compared with what the golden
// recorded, and whole.
#pragma once

#include "cases/boundaries.hpp"
#include "cases/case.hpp"
#include "heed/multi_head.hpp"
#include "support/for_each_isa.hpp"
#include "support/guarded_tensor.hpp"

namespace heed::tests {

// Queries [begin, end) of a call, which reads the first KV heads.
struct QueryPart {
  std::int64_t begin, end, kv_heads;
};

// Floats of tokens at the end of a page.
GuardedTensor stored(const Tokens& tokens);

class ModelAttention {
 public:
  // Weights are PREFIXw_q and so on; nothing of the golden is copied but its numbers, as floats.
  ModelAttention(const Golden& golden, std::string prefix, const Way& way, int threads, Boundaries& boundaries);
  ModelAttention(const ModelAttention&) = delete;
  ModelAttention& operator=(const ModelAttention&) = delete;

  // What w_o gives for all queries. Queries of batch 1 are the same for each batch item of the context.
  Tokens run(const Tokens& queries, const Tokens& context, const std::vector<QueryPart>& parts);

  // Queries as the call reads them: projected, turned, not yet scaled; and keys alike, where there are no values.
  GuardedTensor project_queries(const Tokens& queries);
  GuardedTensor project_keys(const Tokens& context);
  Options options() const;
  // Where the golden has scaling: compares scaled queries.
  void check_scaling(const GuardedTensor& q);

  std::int64_t q_heads() const { return module_.q_heads; }

 private:
  struct KeysAndValues {
    GuardedTensor k, v;
  };
  Linear read_linear(const char* letter);
  GuardedTensor project(const Linear& linear, std::int64_t heads, const Tokens& tokens, bool turns);
  KeysAndValues keys_and_values(const Tokens& context);
  void expect_ok(const char* call, const Status& status);

  const Golden& golden_;
  std::string prefix_;
  Way way_;
  int threads_;
  Boundaries& boundaries_;
  std::vector<std::vector<float>> weights_;  // what module_ views
  std::vector<float> cosines_, sines_;
  CaseScaling scaling_;
  std::vector<float> key_bias_;
  std::vector<std::uint8_t> key_blocked_, pair_blocked_;
  MultiHeadAttention module_;
};

}  // namespace heed::tests
