// SPDX-License-Identifier: Apache-2.0
// How a call is cut into score blocks: in bounds, complete, and copying only what oneDNN can't read.
#include "plan/score_block.hpp"

#include <doctest/doctest.h>

namespace heed::tests {
namespace {

struct Call {
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 1, kv_len = 1, head_dim = 64;
  Options options{};
};

template <class Place>
Problem problem_of(const Call& c, Place place) {
  const float* none = nullptr;
  float* nowhere = nullptr;
  return make_problem(place(none, c.batch, c.q_heads, c.q_len, c.head_dim),
                      place(none, c.batch, c.kv_heads, c.kv_len, c.head_dim),
                      place(none, c.batch, c.kv_heads, c.kv_len, c.head_dim),
                      place(nowhere, c.batch, c.q_heads, c.q_len, c.head_dim), c.options);
}
Problem in_bhnd(const Call& call) {
  return problem_of(call, [](auto... x) { return bhnd(x...); });
}
Problem in_bnhd(const Call& call) {
  return problem_of(call, [](auto... x) { return bnhd(x...); });
}

}  // namespace

TEST_CASE("scores stay within the budget, but for one row longer than that") {
  for (const std::int64_t kv_len : {1, 100, 4096, 16384, 1000000, 10000000}) {
    const Problem problem = in_bhnd({.batch = 3, .q_heads = 8, .kv_heads = 8, .q_len = 5000, .kv_len = kv_len});
    const ScoreBlock block = choose_score_block(problem);
    const std::int64_t bytes = 4 * block_scratch(problem, block).scores;
    CAPTURE(kv_len);
    CHECK((bytes <= score_budget || block.units() * block.rows() == 1));
    CHECK_EQ(block_scratch(problem, block).scores, block.units() * block.rows() * kv_len);
    CHECK_GE(block.units() * block.unit_blocks() * block.stacks, 3 * 8);
    CHECK_GE(block.rows() * block.row_blocks(), 5000);
  }
}

TEST_CASE("small heads are stacked: of all batch items, or of one where the batch has rules") {
  const Call call{.batch = 64, .q_heads = 8, .kv_heads = 8, .q_len = 14, .kv_len = 14, .head_dim = 16};
  const ScoreBlock whole = choose_score_block(in_bhnd(call));
  CHECK(whole.joins_batch);
  CHECK_EQ(whole.stack_units, 64 * 8);
  CHECK_GT(whole.units(), 8);

  const std::int64_t lengths[64] = {};
  Call ragged = call;
  ragged.options.lengths = lengths;
  CHECK_FALSE(choose_score_block(in_bhnd(ragged)).joins_batch);
  CHECK_EQ(choose_score_block(in_bhnd(ragged)).units(), 8);
  CHECK_FALSE(choose_score_block(in_bnhd(call)).joins_batch);  // items are further apart than heads
  CHECK_EQ(choose_score_block(in_bnhd(call)).units(), 8);
}

TEST_CASE("query heads of one KV head are one matrix where their rows lie in equal steps") {
  const Call call{.q_heads = 8, .kv_heads = 2, .q_len = 10, .kv_len = 30};
  CHECK(choose_score_block(in_bhnd(call)).joins_group);
  CHECK_EQ(choose_score_block(in_bhnd(call)).unit_rows, 40);
  CHECK_FALSE(choose_score_block(in_bnhd(call)).joins_group);
  CHECK_EQ(choose_score_block(in_bnhd(call)).units(), 1);
  const Call decode{.q_heads = 8, .kv_heads = 2, .q_len = 1, .kv_len = 30};
  CHECK(choose_score_block(in_bnhd(decode)).joins_group);
}

TEST_CASE("nothing is copied that oneDNN can read as it lies") {
  const Call call{.batch = 2, .q_heads = 4, .kv_heads = 4, .q_len = 10, .kv_len = 30};
  for (const Problem& problem : {in_bhnd(call), in_bnhd(call)}) {
    const BlockScratch scratch = block_scratch(problem, choose_score_block(problem));
    CHECK_EQ(scratch.q + scratch.k + scratch.v + scratch.out, 0);
  }
  Problem strided = in_bhnd(call);
  strided.k.strides = {4 * 30 * 128, 30 * 128, 128, 2};
  const ScoreBlock block = choose_score_block(strided);
  const BlockScratch scratch = block_scratch(strided, block);
  CHECK_EQ(scratch.k, block.units() * 30 * 64);
  CHECK_EQ(scratch.q + scratch.v + scratch.out, 0);
}

TEST_CASE("plain matrices") {
  CHECK(is_plain(dense(3, 4, 5)));
  CHECK(is_plain(transposed(dense(3, 4, 5))));
  CHECK(is_plain({3, 4, 5, 5, 15, 1}));        // rows of the matrices take turns
  CHECK(is_plain({1, 1, 5, -7, 0, 1}));        // a size of 1 makes a stride nobody's business
  CHECK_FALSE(is_plain({3, 4, 5, 20, 5, 2}));  // gaps between columns
  CHECK_FALSE(is_plain({3, 4, 5, 20, 0, 1}));  // one row, four times
  CHECK_FALSE(is_plain({3, 4, 5, 0, 5, 1}));   // one matrix, three times
  CHECK_FALSE(is_plain({3, 4, 5, 20, 3, 1}));  // rows that overlap
  CHECK_FALSE(is_plain({3, 4, 5, 20, -5, 1}));
  CHECK_FALSE(is_plain({3, 4, 5, 1, 15, 3}));  // neither rows nor columns side by side
}

}  // namespace heed::tests
