// SPDX-License-Identifier: Apache-2.0
// merge(): checks every tensor against every output before the first row is written.
#include "heed/merge.hpp"

#include <cstdio>
#include <memory>
#include <new>

#include "api/checks.hpp"
#include "paths/part_shares.hpp"
#include "plan/problem.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status check_part(const PartialResult& part, std::size_t number, const Tensor& out, const std::optional<Tensor>& lse) {
  char out_name[40], lse_name[40];
  std::snprintf(out_name, sizeof(out_name), "parts[%zu].out", number);
  std::snprintf(lse_name, sizeof(lse_name), "parts[%zu].lse", number);
  const auto& [batch, heads, rows, channels] = out.shape;
  const Wanted same[] = {exactly("batch of out", batch), exactly("heads of out", heads), exactly("tokens of out", rows),
                         exactly("channels of out", channels)};
  const Wanted one[] = {same[0], same[1], same[2], exactly("one number a row", 1)};
  const Wanted any[] = {any_size("batch"), any_size("heads"), any_size("tokens"), any_size("channels")};
  Checks checks(true);
  (void)(checks.tensor(out_name, part.out, same) && checks.tensor(lse_name, part.lse, one) &&
         checks.output("out", out, any) && (!lse || checks.output("lse", *lse, one)));
  return checks.status();
}

// Strides that a size of 1 can't use are 0.
template <class Element>
View<Element> view(Element* data, const Dims& shape, const Dims& strides) {
  View<Element> view{data, strides};
  for (std::size_t d = 0; d < 4; ++d)
    if (shape[d] == 1) view.strides[d] = 0;
  return view;
}
View<const float> view(const ConstTensor& tensor) {
  return view(static_cast<const float*>(tensor.data), tensor.shape, tensor.strides);
}
View<float> view(const Tensor& tensor) { return view(static_cast<float*>(tensor.data), tensor.shape, tensor.strides); }

void merge_row(std::span<const PartialResult> parts, std::int64_t b, std::int64_t h, std::int64_t i, const Tensor& out,
               const std::optional<Tensor>& lse, std::span<double> shares) {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  const double merged = share_out(shares, [&](std::size_t p) -> PartSoftmax {
    const auto part = static_cast<double>(*view(parts[p].lse).row(b, h, i));
    return {part, part == minus_infinity ? 0.0 : 1.0};
  });
  if (lse) *view(*lse).row(b, h, i) = static_cast<float>(merged);
  const View<float> to = view(out);
  for (std::int64_t c = 0; c < out.shape[3]; ++c) {
    double sum = 0.0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (shares[p] == 0.0) continue;
      const View<const float> from = view(parts[p].out);
      sum += shares[p] * static_cast<double>(from.row(b, h, i)[c * from.strides[3]]);
    }
    to.row(b, h, i)[c * to.strides[3]] = static_cast<float>(sum);
  }
}

}  // namespace

Status merge(std::span<const PartialResult> parts, const Tensor& out, const std::optional<Tensor>& lse) noexcept {
  if (parts.empty()) return make_status(StatusCode::bad_size, "parts: 0 of them, expected at least 1");
  if (parts.data() == nullptr)
    return make_status(StatusCode::null_data, "parts: null pointer, expected %zu of them", parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (Status status = check_part(parts[p], p, out, lse); !status.ok()) return status;
  const std::unique_ptr<double[]> shares(new (std::nothrow) double[parts.size()]);
  if (shares == nullptr)
    return make_status(StatusCode::out_of_memory, "parts: shares of %zu of them could not be allocated", parts.size());
  for (std::int64_t b = 0; b < out.shape[0]; ++b)
    for (std::int64_t h = 0; h < out.shape[1]; ++h)
      for (std::int64_t i = 0; i < out.shape[2]; ++i) merge_row(parts, b, h, i, out, lse, {shares.get(), parts.size()});
  return {};
}

}  // namespace heed
