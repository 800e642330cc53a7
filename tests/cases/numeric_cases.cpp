// SPDX-License-Identifier: Apache-2.0
// The format with float64 answers: inputs are given as data, or by a seed and an integer formula.
#include <algorithm>

#include "cases/read_cases.hpp"

namespace heed::tests {
namespace {

// Element n of a seeded input; 32-bit unsigned arithmetic.
double generated(std::uint32_t seed, std::uint32_t n) {
  std::uint32_t x = seed * 0x9E3779B9u + n;
  x ^= x >> 16;
  x *= 0x85EBCA6Bu;
  x ^= x >> 13;
  x *= 0xC2B2AE35u;
  x ^= x >> 16;
  return (static_cast<double>(x >> 22) - 512.0) / 256.0;
}

std::vector<double> input_data(const Json& input, std::size_t count) {
  if (input.contains("data")) return numbers(input["data"]);
  const auto seed = field(input, "seed").get<std::uint32_t>();
  std::vector<double> data(count);
  double sum = 0.0;
  for (std::size_t n = 0; n < count; ++n) sum += data[n] = generated(seed, static_cast<std::uint32_t>(n));
  // Sums of multiples of 1/256 are exact.
  if (input.contains("sum") && number(input["sum"]) != sum)
    throw BadCase("the check-sum of seed " + std::to_string(seed) + " is " + std::to_string(sum) + ", expected " +
                  input["sum"].dump());
  return data;
}

template <class T>
Values<T> input(const Json& inputs, const char* name) {
  const Json& json = field(inputs, name);
  const std::vector<std::int64_t> shape = integers(field(json, "shape"));
  if (shape.empty() || shape.size() > 4) throw BadCase(std::string(name) + ": expected a shape of rank 1 to 4");
  const std::vector<double> data = input_data(json, product(shape));
  if (data.size() != product(shape)) throw BadCase(std::string(name) + ": data and shape disagree");
  Values<T> values;
  for (std::size_t d = 0; d < 4; ++d) values.shape[d] = d < shape.size() ? shape[d] : 1;
  for (const double value : data) values.data.push_back(static_cast<T>(value));
  return values;
}

std::optional<CaseMask> mask(const Json& inputs, const char* blocked, const char* allowed) {
  if (inputs.contains(blocked)) return CaseMask{input<std::uint8_t>(inputs, blocked), false};
  if (inputs.contains(allowed)) return CaseMask{input<std::uint8_t>(inputs, allowed), true};
  return std::nullopt;
}

Wanted wanted(const Json& expected, const Json& tolerance, const char* name) {
  Wanted wanted;
  if (!expected.contains(name)) return wanted;
  wanted.values = numbers(expected[name]);
  const std::string low = std::string(name) + "_min", high = std::string(name) + "_max";
  if (tolerance.contains(low)) {
    wanted.low = numbers(field(tolerance, low.c_str()));
    wanted.high = numbers(field(tolerance, high.c_str()));
    if (wanted.low.size() != wanted.values.size() || wanted.high.size() != wanted.values.size())
      throw BadCase(low + ", " + high + ": expected as many numbers as " + name + " has");
  } else {
    wanted.tolerance = number(field(tolerance, name));
  }
  return wanted;
}

std::optional<Position::Kind> position(const Json& params) {
  if (!params.contains("position")) return std::nullopt;
  const auto name = params["position"].get<std::string>();
  if (name == "top_left") return Position::Kind::top_left;
  if (name == "bottom_right") return Position::Kind::bottom_right;
  throw BadCase("position: '" + name + "', expected top_left or bottom_right");
}

void read_params(const Json& params, Case& result) {
  for (const auto& [name, value] : params.items()) {
    if (name == "scale")
      result.scale = static_cast<float>(number(value));
    else if (name == "soft_cap")
      result.soft_cap = static_cast<float>(number(value));
    else if (name == "causal")
      result.causal = value.get<bool>();
    else if (name == "slopes")
      result.slopes = floats(value);
    else if (name == "window")
      result.window = {integers(value).at(0), integers(value).at(1)};
    else if (name != "position")
      throw BadCase("params: '" + name + "' is unknown");
  }
  result.position = position(params);
}

std::int64_t token_step(const Json& extra, const char* name, std::int64_t channels) {
  const std::int64_t stride = extra.value(name, channels);
  if (channels == 0 || stride % channels != 0) throw BadCase(std::string(name) + ": expected a multiple of the width");
  return stride / channels;
}

void read_extra(const Json& extra, Case& result) {
  if (extra.contains("k_row_stride")) result.k_token_step = token_step(extra, "k_row_stride", result.k.shape[3]);
  if (extra.contains("v_row_stride")) result.v_token_step = token_step(extra, "v_row_stride", result.v.shape[3]);
  if (!extra.contains("parts")) return;
  for (const Json& json : extra["parts"]) {
    const std::vector<std::int64_t> keys = integers(field(json, "keys"));
    Part part;
    part.begin = keys.at(0);
    part.end = keys.at(1);
    part.out = {numbers(field(json, "out")), result.out.tolerance, {}, {}};
    part.lse = {numbers(field(json, "lse")), result.lse.tolerance, {}, {}};
    result.parts.push_back(part);
  }
}

}  // namespace

Case numeric_case(const Json& json) {
  const Json& inputs = field(json, "inputs");
  for (const auto& [name, value] : inputs.items()) {
    constexpr std::array known = {"q", "k", "v", "blocked", "allowed", "key_blocked", "key_allowed", "bias", "sinks"};
    if (std::find(known.begin(), known.end(), name) == known.end()) throw BadCase("inputs: '" + name + "' is unknown");
  }
  Case result;
  result.q = input<float>(inputs, "q");
  result.k = input<float>(inputs, "k");
  result.v = input<float>(inputs, "v");
  result.kv_len = result.k.shape[2];
  result.mask = mask(inputs, "blocked", "allowed");
  result.key_mask = mask(inputs, "key_blocked", "key_allowed");
  if (inputs.contains("bias")) result.bias = input<float>(inputs, "bias");
  if (inputs.contains("sinks")) result.sinks = input<float>(inputs, "sinks").data;
  read_params(field(json, "params"), result);

  const Json& expected = field(json, "expected");
  const Json& tolerance = field(json, "tolerance");
  result.out = wanted(expected, tolerance, "out");
  result.lse = wanted(expected, tolerance, "lse");
  result.row_sum = wanted(expected, tolerance, "row_sum");
  result.weights = wanted(expected, tolerance, "weights");
  if (json.contains("extra")) read_extra(json["extra"], result);
  return result;
}

}  // namespace heed::tests
