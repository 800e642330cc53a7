// SPDX-License-Identifier: Apache-2.0
// heed-cases can fail: a changed answer, an answer of NaN, and an output of NaN are all reported with
// the case's name; files that are wrong are errors that say where.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "cases/read_cases.hpp"
#include "cases/run_case.hpp"
#include "support/compare.hpp"

namespace heed::tests {
namespace {

// q, k, v of zeros and ones: out is the mean of v, 1.5.
const std::string good_case =
    R"([{"name": "mean_of_two", "params": {"scale": 1, "soft_cap": 0, "causal": false},
         "inputs": {"q": {"shape": [1, 1, 1, 1], "data": [0]}, "k": {"shape": [1, 1, 2, 1], "data": [1, 1]},
                    "v": {"shape": [1, 1, 2, 1], "data": [1, 2]}},
         "expected": {"out": [1.5], "lse": [0.6931471805599453], "row_sum": [1], "weights": [0.5, 0.5]},
         "tolerance": {"out": 2e-6, "lse": 2e-6, "row_sum": 2e-6, "weights": 2e-6}}])";

const std::string good_onnx_case =
    R"([{"name": "onnx_mean", "opset": 23, "features": [], "attributes": {},
         "inputs": {"Q": {"dtype": "f32", "shape": [1, 1, 1, 1], "data": [0]},
                    "K": {"dtype": "f32", "shape": [1, 1, 2, 1], "data": [1, 1]},
                    "V": {"dtype": "f32", "shape": [1, 1, 2, 1], "data": [1, 2]}},
         "outputs": {"Y": {"dtype": "f32", "shape": [1, 1, 1, 1], "data": [1.5]}}}])";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

Selection every_way() {
  Selection selection;
  for_each_way([&](const Way& way) { selection.ways.push_back(way); });
  return selection;
}

std::vector<std::string> failures_of(const std::string& text) {
  return run_case(read_cases(text, "text").at(0), every_way());
}

std::string error_of(const std::string& text) {
  try {
    read_cases(text, "text");
  } catch (const BadCase& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a right case passes") {
  CHECK(failures_of(good_case).empty());
  CHECK(failures_of(good_onnx_case).empty());
}

TEST_CASE("a case with one expected value changed is reported by name") {
  const std::string changed[] = {
      replaced(good_case, R"("out": [1.5])", R"("out": [1.50001])"),
      replaced(good_case, R"("lse": [0.693)", R"("lse": [0.694)"),
      replaced(good_case, R"("row_sum": [1])", R"("row_sum": [0.99])"),
      replaced(good_case, R"([0.5, 0.5])", R"([0.5, 0.49])"),
      replaced(good_case, R"("out": [1.5])", R"("out": ["NaN"])"),
      replaced(good_case, R"("lse": [0.6931471805599453])", R"("lse": ["-Infinity"])"),
      replaced(good_case, R"("out": [1.5])", R"("out": [1.5, 1.5])"),
      replaced(good_onnx_case, "[1.5]", "[1.501]"),
  };
  for (const std::string& text : changed) {
    const std::vector<std::string> failures = failures_of(text);
    CAPTURE(text);
    REQUIRE_FALSE(failures.empty());
    CHECK_NE(failures.front().find(read_cases(text, "text").at(0).name), std::string::npos);
    CHECK_NE(failures.front().find("streaming"), std::string::npos);
  }
}

TEST_CASE("a golden of a model with one recorded tensor changed is reported by the tensor's name") {
  std::ifstream file("tests/data/tabular/tabpfn_row.json");
  const Json goldens = Json::parse(file);
  const auto stage =
      std::ranges::find(goldens, Json("tabpfn_row_stage"), [](const Json& golden) { return golden["name"]; });
  REQUIRE_NE(stage, goldens.end());
  const std::vector<std::string> inputs = (*stage)["inputs"];
  int changed = 0;
  for (const auto& tensor : (*stage)["tensors"].items()) {
    const std::string name = tensor.key();
    if (std::ranges::find(inputs, name) != inputs.end()) continue;
    Json golden = *stage;
    golden["tensors"][name]["data"].back() = 0.5 + golden["tensors"][name]["data"].back().get<double>();
    const std::vector<Case> cases = read_cases(Json::array({golden}).dump(), "text");
    const std::vector<std::string> failures = run_case(cases.back(), {{Way{Path::reference}}, {1}});
    CAPTURE(name);
    REQUIRE_EQ(failures.size(), 1);
    CHECK_NE(failures.front().find("tabpfn_row_stage, module: reference, threads 1: " + name + " at "),
             std::string::npos);
    ++changed;
  }
  CHECK_EQ(changed, 13);
}

TEST_CASE("an output of NaN agrees with no number") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(agrees(nan, 1.5, 1e9));
  CHECK_FALSE(agrees(nan, 1.5, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(agrees(nan, std::numeric_limits<double>::infinity(), 1.0));
  CHECK_FALSE(agrees(1.5, nan, 1e9));
  CHECK(agrees(nan, nan, 0.0));
  // Through a whole case: NaN in v makes the output NaN where 1.5 is wanted.
  const std::vector<std::string> failures =
      failures_of(replaced(good_case, R"("data": [1, 2])", R"("data": ["NaN", 2])"));
  REQUIRE_FALSE(failures.empty());
  CHECK_NE(failures.front().find("mean_of_two"), std::string::npos);
  CHECK_NE(failures.front().find("nan"), std::string::npos);
}

TEST_CASE("a dtype that is not built is skipped by what the case needs") {
  const Case skipped = read_cases(replaced(good_onnx_case, R"("dtype": "f32")", R"("dtype": "bf16")"), "text").at(0);
  CHECK_NE(skipped.skip_reason.find("bf16"), std::string::npos);
}

TEST_CASE("a wrong file is an error that names the file and the case") {
  CHECK_NE(error_of("[{").find("text: not JSON"), std::string::npos);
  CHECK_NE(error_of("{}").find("expected an array"), std::string::npos);
  CHECK_NE(error_of("[{}]").find("case 0"), std::string::npos);
  CHECK_NE(error_of(replaced(good_case, R"("v": {)", R"("w": {)")).find("mean_of_two: inputs: 'w' is unknown"),
           std::string::npos);
  CHECK_NE(error_of(replaced(good_case, R"("soft_cap")", R"("softcap")")).find("'softcap' is unknown"),
           std::string::npos);
  CHECK_NE(error_of(replaced(good_case, R"("data": [0])", R"("data": [0, 1])")).find("data and shape disagree"),
           std::string::npos);
  CHECK_NE(error_of(replaced(good_case, R"("data": [0])", R"("seed": 3, "sum": 7)")).find("check-sum"),
           std::string::npos);
  CHECK_NE(
      error_of(replaced(good_onnx_case, R"("shape": [1, 1, 2, 1])", R"("shape": [1, 1, 3, 1])")).find("onnx_mean: K"),
      std::string::npos);
  CHECK_NE(error_of(replaced(good_case, "[1, 1, 1, 1]", "[1, 1, -1, 1]")).find("mean_of_two"), std::string::npos);
  CHECK_THROWS_AS(read_case_file("/nonexistent/cases.json"), BadCase);
}

}  // namespace heed::tests
