// SPDX-License-Identifier: Apache-2.0
// Matmul - softmax - matmul on oneDNN, a score block at a time. Shares nothing with kernels/: a second
// implementation of the whole contract to check the first against, and to measure it by.
//
// Softmax is oneDNN's own on every row but those that see nothing, where 2.6 answers NaN. A product
// multiplies a hidden key's value by 0, which shows if the value is NaN or infinite: then the block is
// done again.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "paths/onednn_primitives.hpp"
#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "paths/query_scaling.hpp"
#include "paths/score_row.hpp"
#include "paths/scratch.hpp"
#include "paths/scratchpad.hpp"
#include "plan/score_block.hpp"
#include "status.hpp"

namespace heed {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Run {
  const Plan& plan;
  const Problem& problem;
  std::byte* scratch;
  std::atomic<StatusCode>* failure;
};

// A part of the stack: units [unit, unit + units), rows [first_row, first_row + rows) of each.
struct Block {
  std::int64_t stack, unit, units, first_row, rows;
};

Block block_at(const ScoreBlock& shape, std::int64_t index) {
  Block block;
  block.first_row = index % shape.row_blocks() * shape.rows();
  index /= shape.row_blocks();
  block.unit = index % shape.unit_blocks() * shape.units();
  block.stack = index / shape.unit_blocks();
  block.units = std::min(shape.units(), shape.stack_units - block.unit);
  block.rows = std::min(shape.rows(), shape.unit_rows - block.first_row);
  return block;
}

// A stack of matrices where the caller left it, or copied side by side where oneDNN can't read it so.
struct Operand {
  const float* data;
  Matrices shape;
};

// One block from products to results.
class BlockRun {
 public:
  BlockRun(const Run& run, const Block& block, float* scratch, Scratchpad& scratchpad)
      : problem_(run.problem), shape_(run.plan.scores), block_(block), scratchpad_(scratchpad) {
    const BlockScratch sizes = block_scratch(problem_, shape_);
    scores_ = scratch;
    largest_ = scores_ + sizes.scores;
    q_copy_ = largest_ + sizes.largest;
    k_copy_ = q_copy_ + sizes.q;
    v_copy_ = k_copy_ + sizes.k;
    out_copy_ = v_copy_ + sizes.v;
    keys_ = hull();
    first_ = place_of(block_.unit, block_.first_row);
  }

  void attend() {
    bool is_finite = true;
    if (key_count() > 0) multiply_keys();
    HiddenCells hidden(problem_);
    for_each_row([&](std::int64_t n, const ScoreRow& row) {
      const ScoreRange range = edit_scores(problem_, row, hidden);
      largest_[n] = range.largest;
      find_faint_keys(row, n, range, faint_keys_);
      if (largest_[n] == minus_infinity) std::fill_n(row.cells, key_count(), 0.0f);
    });
    if (key_count() > 0) {
      const OneDnnHandle softmax = find_softmax(block_.units * block_.rows, key_count());
      run_softmax(*softmax, scores_, scratchpad_.get(scratchpad_bytes(*softmax)));
    }
    for (const FaintKey& key : faint_keys_) restore(row_at(key.row), key);
    for_each_row([&](std::int64_t n, const ScoreRow& row) { is_finite &= finish_row(problem_, row, largest_[n]); });
    is_finite &= read_values(values());
    if (!is_finite) attend_again();
  }

 private:
  std::int64_t key_count() const { return keys_.end - keys_.begin; }

  // Batch item, query head and token of a row of a unit.
  struct Place {
    std::int64_t batch, head, token;
  };
  Place place_of(std::int64_t unit, std::int64_t row) const {
    const std::int64_t units = shape_.joins_batch ? shape_.stack_units / problem_.batch : shape_.stack_units;
    const std::int64_t batch = shape_.joins_batch ? unit / units : block_.stack;
    unit %= units;
    if (!shape_.joins_group) return {batch, unit, row};
    return {batch, unit * problem_.group + row / problem_.q_len, row % problem_.q_len};
  }

  ScoreRow row_at(std::int64_t n) const {
    const auto [batch, head, token] = place_of(block_.unit + n / block_.rows, block_.first_row + n % block_.rows);
    return {scores_ + n * key_count(), keys_, batch, head, token};
  }
  // f(number, row) for each row of the block.
  template <class Function>
  void for_each_row(Function f) {
    std::int64_t n = 0;
    for (std::int64_t u = 0; u < block_.units; ++u) {
      Place place = place_of(block_.unit + u, block_.first_row);
      for (std::int64_t r = 0; r < block_.rows; ++r, ++n) {
        f(n, ScoreRow{scores_ + n * key_count(), keys_, place.batch, place.head, place.token});
        if (++place.token == problem_.q_len) place = {place.batch, place.head + 1, 0};
      }
    }
  }

  // The keys that some row of the block may see; what lies outside is never read.
  KeySpan hull() const {
    KeySpan all;
    for (std::int64_t r = 0; r < block_.rows; ++r) {
      const Place place = place_of(block_.unit, block_.first_row + r);
      const KeySpan keys = problem_.visibility.visible_keys(place.batch, place.token);
      if (keys.is_empty()) continue;
      all = all.is_empty() ? keys : KeySpan{std::min(all.begin, keys.begin), std::max(all.end, keys.end)};
      if (!problem_.visibility.has_row_spans()) break;
    }
    return all;
  }

  // The matrices of this block, which may be smaller than the largest.
  Matrices row_matrices(Matrices m) const {
    m.count = block_.units;
    m.rows = block_.rows;
    return m;
  }
  Matrices key_matrices(Matrices m) const {
    m.count = block_.units;
    m.rows = key_count();
    return m;
  }
  Matrices scores() const { return dense(block_.units, block_.rows, key_count()); }

  // Whether it is copied was planned for the largest block.
  static Operand operand(const float* first, bool is_plain, const Matrices& place, float* copy) {
    if (is_plain) return {first, place};
    const Matrices compact = dense(place.count, place.rows, place.columns);
    for_each_element(place,
                     [&](auto n, auto r, auto c) { copy[compact.offset(n, r, c)] = first[place.offset(n, r, c)]; });
    return {copy, compact};
  }
  template <class Function>
  static void for_each_element(const Matrices& m, Function f) {
    for (std::int64_t n = 0; n < m.count; ++n)
      for (std::int64_t r = 0; r < m.rows; ++r)
        for (std::int64_t c = 0; c < m.columns; ++c) f(n, r, c);
  }

  // c = scale * a b
  void multiply(const Operand& a, const Operand& b, float scale, float* c, const Matrices& c_shape) {
    const OneDnnHandle product = find_product(a.shape, b.shape, c_shape, scale);
    run_product(*product, a.data, b.data, c, scratchpad_.get(scratchpad_bytes(*product)));
  }

  // scores = scale * q k^T
  void multiply_keys() {
    if (problem_.head_dim == 0) {
      std::fill_n(scores_, scores().elements(), 0.0f);
      return;
    }
    const Operand q = operand(problem_.q.row(first_.batch, first_.head, first_.token), is_plain(shape_.q),
                              row_matrices(shape_.q), q_copy_);
    Operand k = operand(problem_.k.row(first_.batch, problem_.kv_head(first_.head), keys_.begin), is_plain(shape_.k),
                        key_matrices(shape_.k), k_copy_);
    k.shape = transposed(k.shape);
    multiply(q, k, problem_.scale, scores_, scores());
  }

  Operand values() {
    return operand(problem_.v.row(first_.batch, problem_.kv_head(first_.head), keys_.begin), is_plain(shape_.v),
                   key_matrices(shape_.v), v_copy_);
  }

  // out = weights v. Answers whether it is finite.
  bool read_values(const Operand& v) {
    const Matrices place = row_matrices(shape_.out);
    float* const first = problem_.out.row(first_.batch, first_.head, first_.token);
    const bool is_direct = is_plain(shape_.out);
    const Matrices result = is_direct ? place : dense(place.count, place.rows, place.columns);
    float* const target = is_direct ? first : out_copy_;
    if (key_count() > 0 && problem_.value_dim > 0) {
      multiply({scores_, scores()}, v, 1.0f, target, result);
    } else {
      for_each_element(result, [&](auto n, auto r, auto c) { target[result.offset(n, r, c)] = 0.0f; });
    }
    if (!is_direct)
      for_each_element(place,
                       [&](auto n, auto r, auto c) { first[place.offset(n, r, c)] = target[result.offset(n, r, c)]; });
    float doubt = 0.0f;  // becomes NaN with the first NaN or infinity
    for_each_element(result, [&](auto n, auto r, auto c) { doubt += 0.0f * target[result.offset(n, r, c)]; });
    return doubt == 0.0f;
  }

  // NaN or infinity came out. Rows that don't see it get what they would have got without it: the weights
  // are right, and V is read with zeros in its place. Rows that do see it are done by plain loops.
  void attend_again() {
    const Operand v = values();
    const Matrices clean_shape = copy_shape(v.shape);
    std::vector<float> clean(static_cast<std::size_t>(extent(clean_shape)));
    std::vector<char> is_bad(static_cast<std::size_t>(block_.units * key_count()));
    for_each_element(v.shape, [&](auto n, auto key, auto c) {
      const float value = v.data[v.shape.offset(n, key, c)];
      const bool is_finite = std::isfinite(value);
      clean[static_cast<std::size_t>(clean_shape.offset(n, key, c))] = is_finite ? value : 0.0f;
      if (!is_finite) is_bad[static_cast<std::size_t>(n * key_count() + key)] = 1;
    });
    read_values({clean.data(), clean_shape});
    multiply_keys();
    HiddenCells hidden(problem_);
    for_each_row([&](std::int64_t n, const ScoreRow& row) {
      edit_scores(problem_, row, hidden);
      if (sees_bad_numbers(row, is_bad.data() + n / block_.rows * key_count())) attend_with_care(problem_, row);
    });
  }

  const Problem& problem_;
  const ScoreBlock& shape_;
  const Block& block_;
  Scratchpad& scratchpad_;
  std::vector<FaintKey> faint_keys_;
  float *scores_, *largest_, *q_copy_, *k_copy_, *v_copy_, *out_copy_;
  KeySpan keys_;
  Place first_;  // of the first row
};

void attend_blocks(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  const auto& run = *static_cast<const Run*>(context);
  if (run.failure->load(std::memory_order_relaxed) != StatusCode::ok) return;
  const SerialRegion serial;
  try {
    Scratchpad scratchpad;
    auto* const scratch = static_cast<float*>(thread_scratch(run.plan, run.scratch, thread));
    for (std::int64_t index = begin; index < end; ++index) {
      const Block block = block_at(run.plan.scores, index);
      BlockRun(run, block, scratch, scratchpad).attend();
    }
  } catch (...) {
    run.failure->store(failure_code(), std::memory_order_relaxed);
  }
}

}  // namespace

const bool has_onednn = true;

Status run_onednn(const Plan& plan, const Problem& given, std::span<std::byte> scratch) noexcept {
  const Problem problem = scale_all(plan, given, scratch.data());
  std::atomic<StatusCode> failure = StatusCode::ok;
  const Run run{plan, problem, scratch.data(), &failure};
  parallel_for(plan.items, plan.items_per_chunk, plan.threads, attend_blocks, &run);
  switch (failure) {
    case StatusCode::ok: return {};
    case StatusCode::out_of_memory:
      return make_status(StatusCode::out_of_memory, "path: onednn: memory beside the scratch could not be allocated");
    default:
      return make_status(StatusCode::unsupported,
                         "path: onednn: oneDNN has no implementation of this call on this CPU");
  }
}

}  // namespace heed
