// SPDX-License-Identifier: Apache-2.0
// A golden of a tabular model as its file has it: named tensors, a configuration, a tolerance for each result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cases/json_values.hpp"

namespace heed::tests {

struct Stored {
  std::vector<std::int64_t> shape;
  std::vector<double> data;
};

struct Golden {
  Json config, calls;
  std::map<std::string, Stored> tensors;
  std::map<std::string, double> tolerances;

  bool has(const std::string& name) const { return tensors.contains(name); }
  const Stored& need(const std::string& name) const;
  double tolerance(const std::string& name) const;
  std::int64_t size(const char* name) const { return field(config, name).get<std::int64_t>(); }
  std::int64_t size_or(const char* name, std::int64_t otherwise) const { return config.value(name, otherwise); }
};

Golden read_golden(const Json& json);

}  // namespace heed::tests
