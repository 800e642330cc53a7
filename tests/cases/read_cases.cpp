// SPDX-License-Identifier: Apache-2.0
#include "cases/read_cases.hpp"

#include <fstream>
#include <iterator>

namespace heed::tests {
namespace {

std::vector<Case> lower(const Json& json) {
  if (json.is_object() && json.contains("opset")) return {onnx_case(json)};
  if (json.is_object() && json.contains("expected")) return {numeric_case(json)};
  if (json.is_object() && json.contains("calls")) return tabular_cases(json);
  throw BadCase("neither 'expected', 'opset' nor 'calls' is there: not a case of a known format");
}

}  // namespace

std::vector<Case> read_cases(const std::string& text, const std::string& origin) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw BadCase(origin + ": not JSON: " + error.what());
  }
  if (!json.is_array()) throw BadCase(origin + ": expected an array of cases");
  std::vector<Case> cases;
  for (std::size_t n = 0; n < json.size(); ++n) {
    const bool has_name = json[n].is_object() && json[n].contains("name") && json[n]["name"].is_string();
    const std::string name = has_name ? json[n]["name"].get<std::string>() : "case " + std::to_string(n);
    try {
      std::vector<Case> lowered = lower(json[n]);
      for (std::size_t call = 0; call < lowered.size(); ++call) {
        lowered[call].name = lowered[call].model   ? name + ", module"
                             : lowered.size() == 1 ? name
                                                   : name + ", call " + std::to_string(call + 1);
        cases.push_back(std::move(lowered[call]));
      }
    } catch (const std::exception& error) {
      throw BadCase(origin + ": " + name + ": " + error.what());
    }
  }
  return cases;
}

std::vector<Case> read_case_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadCase(path + ": cannot be opened");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw BadCase(path + ": cannot be read");
  return read_cases(text, path);
}

}  // namespace heed::tests
