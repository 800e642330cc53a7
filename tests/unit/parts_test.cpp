// SPDX-License-Identifier: Apache-2.0
// The pieces of each ISA's own object code, one key tile at a time, against plain loops in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dispatch/kernel_registry.hpp"
#include "pieces/tile.hpp"
#include "pieces/tile_checks.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {
namespace {

using perf::Tile;
using perf::TileSizes;

template <class Body>
void for_each_tile(const Body& body) {
  for_each_isa([&](const std::string& isa) {
    const KernelTable& kernels = *find_isa(isa)->kernels;
    for (std::size_t rows = kernels.lanes; rows <= kernels.max_rows; rows += kernels.lanes)
      for (const std::size_t keys : {1, 2, 3, 5, 11, 12, 15, 23, 24, 48, 61, 64})
        for (const std::size_t dim : {1, 2, 7, 16, 19, 32, 40, 64, 128}) {
          CAPTURE(isa);
          CAPTURE(rows);
          CAPTURE(keys);
          CAPTURE(dim);
          body(kernels.parts, TileSizes{rows, keys, dim, dim, 22, 32});
        }
  });
}

// What a piece only writes must not matter before it runs.
void forget(float* cells, std::size_t count) { std::fill_n(cells, count, std::numeric_limits<float>::quiet_NaN()); }

void attend(const KernelParts& parts, const TilePart& part, bool is_fused) {
  if (is_fused) {
    parts.weigh(part);
  } else {
    parts.score(part);
    parts.softmax(part);
  }
  parts.value(part);
}

// Attention of one tile after the other, in double: the largest score so far is subtracted.
struct PlainSums {
  std::vector<double> top, sum, out;

  explicit PlainSums(const TilePart& part)
      : top(part.rows, -std::numeric_limits<double>::infinity()), sum(part.rows), out(part.rows * part.value_dim) {}

  void add(const TilePart& part) {
    for (std::size_t key = 0; key < part.keys; ++key)
      for (std::size_t row = 0; row < part.rows; ++row) {
        double score = 0.0;
        for (std::size_t c = 0; c < part.head_dim; ++c)
          score +=
              static_cast<double>(part.q[c * part.rows + row]) * static_cast<double>(part.k[key * part.head_dim + c]);
        const double rescale = score > top[row] ? std::exp(top[row] - score) : 1.0;
        top[row] = std::max(top[row], score);
        const double weight = std::exp(score - top[row]);
        sum[row] = sum[row] * rescale + weight;
        for (std::size_t c = 0; c < part.value_dim; ++c) {
          double& cell = out[c * part.rows + row];
          cell = cell * rescale + weight * static_cast<double>(part.v[key * part.value_dim + c]);
        }
      }
  }
};

const KernelParts& best_parts() { return best_isa().kernels->parts; }
TileSizes small_tile() { return {best_isa().kernels->max_rows, 20, 16, 16, 16, 32}; }

}  // namespace

TEST_CASE("scores are the products of q and k, whatever rows, keys and channels are left over") {
  for_each_tile([](const KernelParts& parts, const TileSizes& sizes) {
    const Tile tile(sizes, 1);
    forget(tile.part.scores, tile.cells());
    parts.score(tile.part);
    CHECK(perf::check_scores(tile.part).holds);
  });
}

TEST_CASE("weights, reference and row sums are those of the scores") {
  for_each_tile([](const KernelParts& parts, const TileSizes& sizes) {
    const Tile tile(sizes, 2);
    forget(tile.part.weights, tile.cells());
    parts.softmax(tile.part);
    CHECK(perf::check_softmax(tile.part).holds);
    forget(tile.part.weights, tile.cells());
    forget(tile.part.state, 4 * sizes.rows);
    forget(tile.part.scores, tile.cells());
    parts.weigh(tile.part);
    CHECK(perf::check_weigh(tile.part).holds);
  });
}

TEST_CASE("values are added up by their weights") {
  for_each_tile([](const KernelParts& parts, const TileSizes& sizes) {
    const Tile tile(sizes, 3);
    parts.value(tile.part);
    CHECK(perf::check_values(tile.part).holds);
  });
}

TEST_CASE("tile after tile the parts make attention, also where later scores are far larger") {
  for_each_isa([](const std::string& isa) {
    const KernelTable& kernels = *find_isa(isa)->kernels;
    const std::size_t rows = kernels.max_rows, keys = 37, dim = 20;
    for (const bool is_fused : {false, true}) {
      Tile tile({rows, keys, dim, dim, 20, 64}, 4);
      PlainSums wanted(tile.part);
      for (const float growth : {1.0f, 30.0f, 0.5f}) {
        std::vector<float> k(tile.part.k, tile.part.k + keys * dim);
        for (float& x : k) x *= growth;
        TilePart part = tile.part;
        part.k = k.data();
        attend(kernels.parts, part, is_fused);
        wanted.add(part);
        ++tile.part.tiles_before;
      }
      double worst = 0.0;
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t c = 0; c < dim; ++c) {
          const std::size_t cell = c * rows + row;
          const auto got =
              static_cast<double>(tile.part.out[cell]) / static_cast<double>(tile.part.state[2 * rows + row]);
          worst = std::max(worst, std::abs(got - wanted.out[cell] / wanted.sum[row]));
        }
      CAPTURE(isa);
      CAPTURE(is_fused);
      CHECK(worst < 2e-5);
    }
  });
}

TEST_CASE("a cell that is off is noticed, and so is NaN") {
  const Tile tile(small_tile(), 5);
  const TilePart& part = tile.part;
  const auto spoils = [](float& cell, const auto& holds) {
    const float right = cell;
    CHECK(holds());
    for (const float wrong : {right + 1e-3f, std::nanf("")}) {
      cell = wrong;
      CHECK_FALSE(holds());
    }
    cell = right;
  };
  const std::size_t last = tile.cells() - 1;
  best_parts().score(part);
  spoils(part.scores[last], [&] { return perf::check_scores(part).holds; });
  best_parts().softmax(part);
  spoils(part.weights[last], [&] { return perf::check_softmax(part).holds; });
  spoils(part.state[0], [&] { return perf::check_softmax(part).holds; });
  spoils(part.state[2 * part.rows], [&] { return perf::check_softmax(part).holds; });
  best_parts().weigh(part);
  spoils(part.weights[last], [&] { return perf::check_weigh(part).holds; });
  best_parts().value(part);
  spoils(part.out[part.rows * part.value_dim - 1], [&] { return perf::check_values(part).holds; });
  best_parts().exp(part.scores, part.weights, tile.cells());
  spoils(part.weights[last], [&] { return perf::check_exp(part.scores, part.weights, tile.cells()).holds; });
}

}  // namespace heed::tests
