// SPDX-License-Identifier: Apache-2.0
// Case files: JSON arrays of cases in one of three formats, told apart by their fields.
#pragma once

#include "cases/case.hpp"
#include "cases/json_values.hpp"

namespace heed::tests {

Case numeric_case(const Json& json);  // {name, sizes, params, inputs, expected, tolerance, extra?}
Case onnx_case(const Json& json);     // {name, opset, features, attributes, inputs, outputs}

// {name, config, inputs, calls, tensors, tolerance}: a case for each call, and for each with its scaling.
std::vector<Case> tabular_cases(const Json& golden);

// Throws BadCase; `origin` (a file's name) opens the message.
std::vector<Case> read_cases(const std::string& text, const std::string& origin);
std::vector<Case> read_case_file(const std::string& path);

}  // namespace heed::tests
