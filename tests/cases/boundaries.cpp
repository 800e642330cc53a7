// SPDX-License-Identifier: Apache-2.0
#include "cases/boundaries.hpp"

#include "support/compare.hpp"

namespace heed::tests {

std::vector<double> recorded_order(const ConstTensor& tensor, std::int64_t heads) {
  const auto& [batch, all_heads, tokens, channels] = tensor.shape;
  if (heads > all_heads) throw BadCase("more heads recorded than there are");
  const auto* data = static_cast<const float*>(tensor.data);
  std::vector<double> values;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t n = 0; n < tokens; ++n)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t c = 0; c < channels; ++c)
          values.push_back(static_cast<double>(
              data[b * tensor.strides[0] + h * tensor.strides[1] + n * tensor.strides[2] + c * tensor.strides[3]]));
  return values;
}

void Boundaries::compare(const std::string& name, const ConstTensor& got) {
  const Stored& wanted = golden_.need(name);
  compare(name, recorded_order(got, wanted.shape.at(2)), wanted.data, 1.0);
}

void Boundaries::compare(const std::string& name, const Tokens& got) {
  compare(name, got.data, golden_.need(name).data, 1.0);
}

void Boundaries::compare(const std::string& name, std::span<const double> got, std::span<const double> wanted,
                         double times) {
  if (got.size() != wanted.size())
    return add(name + ": " + std::to_string(got.size()) + " values, expected " + std::to_string(wanted.size()));
  Comparison comparison(name);
  for (std::size_t n = 0; n < got.size(); ++n)
    comparison.add({0, 0, static_cast<std::int64_t>(n), 0}, got[n], wanted[n], golden_.tolerance(name) * times);
  if (!comparison.ok()) add(comparison.text());
}

}  // namespace heed::tests
