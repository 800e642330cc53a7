// SPDX-License-Identifier: Apache-2.0
// merge(): checks every tensor against every output before the first row is written.
#include "heed/merge.hpp"

#include <cstdio>
#include <limits>
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

struct Part {
  View<const float> out, lse;
};

void merge_row(std::span<const Part> parts, std::int64_t b, std::int64_t h, std::int64_t i, const View<float>& out,
               std::int64_t channels, const View<float>& lse, std::span<double> shares) {
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  const double merged = share_out(shares, [&](std::size_t p) -> PartSoftmax {
    const auto part = static_cast<double>(*parts[p].lse.row(b, h, i));
    return {part, part == minus_infinity ? 0.0 : 1.0};
  });
  if (lse) *lse.row(b, h, i) = static_cast<float>(merged);
  for (std::int64_t c = 0; c < channels; ++c) {
    double sum = 0.0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (shares[p] == 0.0) continue;
      sum += shares[p] * static_cast<double>(parts[p].out.row(b, h, i)[c * parts[p].out.strides[3]]);
    }
    out.row(b, h, i)[c * out.strides[3]] = static_cast<float>(sum);
  }
}

}  // namespace

Status merge(std::span<const PartialResult> parts, const Tensor& out, const std::optional<Tensor>& lse) noexcept try {
  if (parts.empty()) return make_status(StatusCode::bad_size, "parts: 0 of them, expected at least 1");
  if (parts.data() == nullptr)
    return make_status(StatusCode::null_data, "parts: null pointer, expected %zu of them", parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (Status status = check_part(parts[p], p, out, lse); !status.ok()) return status;
  const auto views = std::make_unique<Part[]>(parts.size());
  const auto shares = std::make_unique<double[]>(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) views[p] = {input_view(parts[p].out), input_view(parts[p].lse)};
  const View<float> to = output_view(out), lse_to = lse ? output_view(*lse) : View<float>{};
  const auto& [batch, heads, rows, channels] = out.shape;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < rows; ++i)
        merge_row({views.get(), parts.size()}, b, h, i, to, channels, lse_to, {shares.get(), parts.size()});
  return {};
} catch (const std::bad_alloc&) {
  return make_status(StatusCode::out_of_memory, "parts: memory for %zu of them could not be allocated", parts.size());
}

}  // namespace heed
