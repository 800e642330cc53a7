// SPDX-License-Identifier: Apache-2.0
// What both case formats share: fields that must be there, and numbers where "NaN", "Infinity" and
// "-Infinity" are strings.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace heed::tests {

using Json = nlohmann::json;

// What is wrong with a file; the message names the case and the field.
struct BadCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const Json& field(const Json& object, const char* name);
double number(const Json& value);
std::vector<double> numbers(const Json& array);
std::vector<float> floats(const Json& array);
std::vector<std::int64_t> integers(const Json& array);
std::size_t product(const std::vector<std::int64_t>& shape);

}  // namespace heed::tests
