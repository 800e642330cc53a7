// SPDX-License-Identifier: Apache-2.0
// One case of a case file, lowered to what heed is called with and what must come out. Readers
// (numeric_cases, onnx_cases) make them, the runner runs them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/classes.hpp"
#include "heed/rotary.hpp"

namespace heed::tests {

struct Golden;

// Values in C order of a logical [batch, heads, tokens, channels] shape.
template <class T>
struct Values {
  Dims shape{};
  std::vector<T> data;
};

struct CaseMask {
  Values<std::uint8_t> cells;
  bool true_is_allowed = false;
};

// One check of a result: |got - wanted| <= tolerance, or low <= got <= high where those are given.
struct Wanted {
  std::vector<double> values;  // empty: not checked
  double tolerance = 0.0;
  std::vector<double> low, high;
};

// A second call without some of the options, whose ln(weight) + lse is wanted.
struct WantedScore {
  std::vector<double> values;  // [batch, q_heads, q_len, kv_len]
  double tolerance = 0.0;
  bool keeps_soft_cap = false;
  bool keeps_bias_and_masks = false;
};

// A query scaling that the call is given; empty lists are not given.
struct CaseMlp {
  std::vector<float> w1, b1, w2, b2;
};
struct CaseScaling {
  std::vector<float> factors;
  CaseMlp base, gate;
  std::int64_t key_count = 0;
};

struct CaseRotation {
  RotaryPairs pairs = RotaryPairs::split_half;
  std::vector<float> frequencies;  // positions count from 0
};

// Queries before and after one step of a model.
struct QueryStage {
  std::string name;
  Values<float> before;
  std::optional<CaseRotation> rotation;  // else scaling
  CaseScaling scaling;
  Wanted wanted;
};

// Keys [begin, end), and what that part alone gives (empty: not checked).
struct Part {
  std::int64_t begin = 0, end = 0;
  Wanted out, lse;
};

struct Case {
  std::string name;
  std::string skip_reason;              // not empty: needs a feature that is not built
  std::shared_ptr<const Golden> model;  // a whole module of a model; nothing else is given then

  Values<float> q, k, v;
  bool q_is_shared = false;                         // all batch items are equal, and read the first
  bool v_is_shared = false;                         // all heads are equal, and read the first
  std::int64_t k_token_step = 1, v_token_step = 1;  // tokens of storage per token; the others hold NaN
  std::vector<std::int32_t> classes;                // of the keys, [batch, kv_len]: v is one-hot; empty: it is not

  std::vector<QueryStage> stages;  // checked beside the call
  std::optional<CaseScaling> scaling;
  std::optional<float> scale;
  float soft_cap = 0.0f;
  std::optional<Values<float>> bias;
  std::optional<CaseMask> mask;
  std::optional<CaseMask> key_mask;  // shape [batch, kv_len, 1, 1]
  std::vector<float> slopes, sinks;
  std::vector<std::int64_t> lengths;
  std::optional<Position::Kind> position;  // per_batch takes offsets
  std::vector<std::int64_t> offsets;
  bool causal = false;
  Window window;

  // Keys in use: the call's kv_len. k and v may hold more, which no one reads.
  std::int64_t kv_len = 0;
  // Not empty: a call with all keys of k and v must fail with a message that holds this.
  std::string wanted_error;

  Wanted out, lse, row_sum, weights;
  std::optional<WantedScore> score;
  std::vector<Part> parts;  // merged by (out, lse) they must give the whole

  std::int64_t batch() const { return q.shape[0]; }
  std::int64_t q_heads() const { return q.shape[1]; }
  std::int64_t q_len() const { return q.shape[2]; }
};

}  // namespace heed::tests
