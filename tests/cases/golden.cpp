// SPDX-License-Identifier: Apache-2.0
#include "cases/golden.hpp"

namespace heed::tests {

const Stored& Golden::need(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw BadCase("tensors: '" + name + "' is missing");
  return found->second;
}

double Golden::tolerance(const std::string& name) const {
  const auto found = tolerances.find(name);
  if (found == tolerances.end()) throw BadCase("tolerance: '" + name + "' is missing");
  return found->second;
}

Golden read_golden(const Json& json) {
  Golden golden{field(json, "config"), field(json, "calls"), {}, {}};
  for (const auto& [name, tensor] : field(json, "tensors").items()) {
    Stored stored{integers(field(tensor, "shape")), numbers(field(tensor, "data"))};
    if (stored.data.size() != product(stored.shape)) throw BadCase(name + ": data and shape disagree");
    golden.tensors.emplace(name, std::move(stored));
  }
  for (const auto& [name, value] : field(json, "tolerance").items()) golden.tolerances.emplace(name, number(value));
  return golden;
}

}  // namespace heed::tests
