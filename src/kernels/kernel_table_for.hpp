// SPDX-License-Identifier: Apache-2.0
// Fills a KernelTable for one xsimd architecture.
#pragma once

#include "kernels/attention_tile.hpp"
#include "kernels/few_rows.hpp"
#include "kernels/parts.hpp"
#include "kernels/query_scaling.hpp"

namespace heed {
namespace {

template <class Arch>
constexpr KernelTable kernel_table_for(Isa isa) {
  return {
      .isa = isa,
      .lanes = lanes<Arch>,
      .max_rows = max_vectors * lanes<Arch>,
      .attend = {attend<Arch>, nullptr, nullptr, nullptr},
      .attend_few = {attend_few<Arch>, nullptr, nullptr, nullptr},
      .scale_queries = scale_queries<Arch>,
      .parts = parts<Arch>,
  };
}

}  // namespace
}  // namespace heed
