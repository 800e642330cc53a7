// SPDX-License-Identifier: Apache-2.0
// Which cache lines are asked for ahead of the next head. They change no result, so only this test would
// notice that they are the wrong ones.
#include "paths/look_ahead.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

namespace heed::tests {
namespace {

struct Call {
  std::int64_t batch = 2, q_heads = 3, kv_heads = 3, q_len = 14, kv_len = 20, head_dim = 16, value_dim = 32;
  bool is_bnhd = false;
};

// The tensors of a call, with room, and its plan.
struct Tensors {
  explicit Tensors(const Call& c)
      : q(room(c.batch, c.q_heads, c.q_len, c.head_dim)),
        k(room(c.batch, c.kv_heads, c.kv_len, c.head_dim)),
        v(room(c.batch, c.kv_heads, c.kv_len, c.value_dim)),
        out(room(c.batch, c.q_heads, c.q_len, c.value_dim)) {
    const auto place = [&](auto* data, std::int64_t heads, std::int64_t tokens, std::int64_t dim) {
      return c.is_bnhd ? bnhd(data, c.batch, heads, tokens, dim) : bhnd(data, c.batch, heads, tokens, dim);
    };
    const auto input = [](const std::vector<float>& x) { return x.data(); };
    problem = make_problem(
        place(input(q), c.q_heads, c.q_len, c.head_dim), place(input(k), c.kv_heads, c.kv_len, c.head_dim),
        place(input(v), c.kv_heads, c.kv_len, c.value_dim), place(out.data(), c.q_heads, c.q_len, c.value_dim), {});
    REQUIRE(make_plan(problem, {.threads = 1}, {}, plan).ok());
  }
  static std::size_t room(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t d) {
    return static_cast<std::size_t>(b * h * n * d);
  }
  std::vector<float> q, k, v, out;
  Problem problem;
  Plan plan;
};

constexpr std::uintptr_t line = 64;

// Every line that a list reaches, by address / 64.
std::set<std::uintptr_t> lines_of(const LinesAhead& ahead) {
  std::set<std::uintptr_t> lines;
  for (const LinesAhead::List* list = ahead.next; list->left > 0; ++list)
    for (std::size_t n = 0; n < list->left; ++n)
      lines.insert(reinterpret_cast<std::uintptr_t>(list->at + static_cast<std::ptrdiff_t>(n) * list->step) / line);
  return lines;
}

std::size_t count_lines(const LinesAhead& ahead) {
  std::size_t count = 0;
  for (const LinesAhead::List* list = ahead.next; list->left > 0; ++list) count += list->left;
  return count;
}

// Counts pieces of 16 channels whose first is in none of the lines.
template <class Element>
int pieces_missed(const std::set<std::uintptr_t>& lines, const View<Element>& view, std::int64_t b, std::int64_t h,
                  std::int64_t count, std::int64_t dim) {
  int missed = 0;
  for (std::int64_t n = 0; n < count; ++n)
    for (std::int64_t c = 0; c < dim; c += 16)
      missed += lines.contains(reinterpret_cast<std::uintptr_t>(view.row(b, h, n) + c) / line) ? 0 : 1;
  return missed;
}

}  // namespace

TEST_CASE("the lines ahead are those of the next head's k, v, q and out") {
  for (const bool is_bnhd : {false, true}) {
    const Tensors t(Call{.is_bnhd = is_bnhd});
    const Problem& p = t.problem;
    CAPTURE(is_bnhd);
    LookAhead look_ahead(t.plan, p);
    for (std::int64_t head = 0; head + 1 < 6; ++head) {
      const LinesAhead* const ahead = look_ahead.after(head / 3, head % 3);
      REQUIRE(ahead != nullptr);
      const std::set<std::uintptr_t> lines = lines_of(*ahead);
      const std::int64_t b = (head + 1) / 3, h = (head + 1) % 3;
      CHECK_EQ(pieces_missed(lines, p.k, b, h, p.kv_len, p.head_dim), 0);
      CHECK_EQ(pieces_missed(lines, p.v, b, h, p.kv_len, p.value_dim), 0);
      CHECK_EQ(pieces_missed(lines, p.q, b, h, p.q_len, p.head_dim), 0);
      CHECK_EQ(pieces_missed(lines, p.out, b, h, p.q_len, p.value_dim), 0);
      CHECK_EQ(count_lines(*ahead), (14 + 20) * 1 + (14 + 20) * 2);
      // The keys of one head ask for all of them.
      CHECK_GE(ahead->per_key * static_cast<std::size_t>(t.plan.rows.job_count * p.kv_len), 256 * count_lines(*ahead));
    }
    CHECK_EQ(look_ahead.after(1, 2), nullptr);
  }
}

TEST_CASE("query heads on one KV head: only its k and v are asked for") {
  const Tensors t(Call{.q_heads = 6, .kv_heads = 2, .value_dim = 16});
  LookAhead look_ahead(t.plan, t.problem);
  const LinesAhead* const ahead = look_ahead.after(0, 1);
  REQUIRE(ahead != nullptr);
  CHECK_EQ(count_lines(*ahead), 20 + 20);
  CHECK_EQ(pieces_missed(lines_of(*ahead), t.problem.k, 1, 0, 20, 16), 0);
}

TEST_CASE("nothing is asked for where it would not stay in cache, or where there are no keys") {
  for (const Call& call :
       {Call{.kv_len = 8192, .head_dim = 64, .value_dim = 64}, Call{.head_dim = 256}, Call{.kv_len = 0}}) {
    const Tensors t(call);
    CHECK_EQ(LookAhead(t.plan, t.problem).after(0, 0), nullptr);
  }
}

}  // namespace heed::tests
