// SPDX-License-Identifier: Apache-2.0
// Fills a KernelTable for one xsimd architecture.
#pragma once

#include "kernels/attention_tile.hpp"
#include "kernels/few_rows.hpp"

namespace heed {
namespace {

template <class Arch, class Function>
void map(const float* x, float* y, std::size_t count, Function f) {
  constexpr std::size_t n = lanes<Arch>;
  for (std::size_t i = 0; i < count; i += n) {
    float cells[n] = {};
    const std::size_t used = count - i < n ? count - i : n;
    for (std::size_t lane = 0; lane < used; ++lane) cells[lane] = x[i + lane];
    f(load<Arch>(cells)).store_unaligned(cells);
    for (std::size_t lane = 0; lane < used; ++lane) y[i + lane] = cells[lane];
  }
}
template <class Arch>
void map_exp(const float* x, float* y, std::size_t count) noexcept {
  map<Arch>(x, y, count, exp<Arch>);
}
template <class Arch>
void map_tanh(const float* x, float* y, std::size_t count) noexcept {
  map<Arch>(x, y, count, tanh<Arch>);
}

template <class Arch>
constexpr KernelTable kernel_table_for(Isa isa) {
  return {
      .isa = isa,
      .lanes = lanes<Arch>,
      .max_rows = max_vectors * lanes<Arch>,
      .attend = {attend<Arch>, nullptr, nullptr, nullptr},
      .attend_few = {attend_few<Arch>, nullptr, nullptr, nullptr},
      .parts = {.exp = map_exp<Arch>, .tanh = map_tanh<Arch>},
  };
}

}  // namespace
}  // namespace heed
