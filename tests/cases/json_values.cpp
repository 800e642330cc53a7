// SPDX-License-Identifier: Apache-2.0
#include "cases/json_values.hpp"

#include <cmath>
#include <limits>

namespace heed::tests {

const Json& field(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) throw BadCase(std::string("'") + name + "' is missing");
  return object.at(name);
}

double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  throw BadCase("'" + value.dump() + "', expected a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

std::vector<double> numbers(const Json& array) {
  if (!array.is_array()) throw BadCase("'" + array.dump().substr(0, 40) + "', expected an array of numbers");
  std::vector<double> values;
  values.reserve(array.size());
  for (const Json& value : array) values.push_back(number(value));
  return values;
}

std::vector<float> floats(const Json& array) {
  std::vector<float> values;
  for (const double value : numbers(array)) values.push_back(static_cast<float>(value));
  return values;
}

std::vector<std::int64_t> integers(const Json& array) {
  std::vector<std::int64_t> values;
  for (const double value : numbers(array)) {
    if (value != std::floor(value) || std::abs(value) > 0x1p53)
      throw BadCase("'" + array.dump().substr(0, 40) + "', expected whole numbers");
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

std::size_t product(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || size > (1 << 24) || (count *= static_cast<std::size_t>(size)) > (std::size_t{1} << 32))
      throw BadCase("a shape with size " + std::to_string(size) + " is out of reason");
  }
  return count;
}

}  // namespace heed::tests
