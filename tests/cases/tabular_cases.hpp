// SPDX-License-Identifier: Apache-2.0
// What a golden says of query scaling and rotation.
#pragma once

#include "cases/case.hpp"
#include "cases/golden.hpp"

namespace heed::tests {

template <class T>
std::vector<T> cells(const Stored& stored) {
  std::vector<T> result;
  for (const double x : stored.data) result.push_back(static_cast<T>(x));
  return result;
}

// Of the tensors whose names begin with the prefix; lists that the golden lacks are empty.
CaseScaling read_scaling(const Golden& golden, const std::string& prefix);
CaseRotation read_rotation(const Golden& golden);

}  // namespace heed::tests
