// SPDX-License-Identifier: Apache-2.0
// A case's inputs in memory, in one storage order, each at the end of a page; and calls on all of its
// keys or a part of them.
#pragma once

#include "cases/case.hpp"
#include "support/guarded_tensor.hpp"

namespace heed::tests {

struct KeyRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

// A call's inputs. Its spans point into vectors of its own: neither copied nor moved.
struct CaseCall {
  CaseCall() = default;
  CaseCall(const CaseCall&) = delete;
  CaseCall& operator=(const CaseCall&) = delete;

  ConstTensor q, k, v;
  ClassIndices classes;  // where the case has classes
  Options options;       // without outputs
  std::vector<std::int64_t> lengths, offsets;
};

// Views of the case's lists.
QueryScaling query_scaling(const CaseScaling& scaling);

class StoredCase {
 public:
  StoredCase(const Case& the_case, Storage storage);

  void prepare(KeyRange keys, CaseCall& call) const;
  // NaN into K and V of every key that no row may see. Returns how many keys that were.
  std::int64_t poison_hidden_keys();

 private:
  const Case& case_;
  GuardedTensor q_, k_, v_;
  GuardedBuffer<float> bias_;
  GuardedBuffer<std::uint8_t> mask_, key_mask_;
};

}  // namespace heed::tests
