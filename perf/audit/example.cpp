// SPDX-License-Identifier: Apache-2.0
// The numbers "by hand" are literals, worked out on paper with e = 2.7182818 and e^2 = 7.3890561.
#include "audit/example.hpp"

#include <array>
#include <cmath>

#include "audit/compare.hpp"
#include "audit/small_call.hpp"
#include "audit/table.hpp"
#include "audit/text.hpp"

namespace heed::audit {
namespace {

constexpr double tolerance = 1e-6;

constexpr const char* introduction =
    R"(Two queries read three keys: q_len 2, kv_len 3, two channels, scale 1 (so that scores are whole numbers).

  q = [1 0]    k = [1 1]    v = [1 0]
      [0 2]        [2 0]        [0 1]
                   [0 1]        [2 2]

score(i,j) = q_i . k_j       row 0: 1, 2, 0               row 1: 2, 0, 2
exp(score)                   row 0: e, e^2, 1             row 1: e^2, 1, e^2
their sum                    row 0: 11.1073379            row 1: 15.7781122
weight(i,j) = exp / sum      row 0: .2447, .6652, .0900   row 1: .4683, .0634, .4683
out_i = sum_j weight * v_j   row 0: .2447 + 2 * .0900, .6652 + 2 * .0900
                             row 1: .4683 + 2 * .4683, .0634 + 2 * .4683
lse_i = ln(sum)              row 0: 2.4076                row 1: 2.7586

)";

struct Quantity {
  std::string name;
  double by_hand;
};

std::vector<Quantity> quantities() {
  constexpr std::array<double, 6> scores = {1, 2, 0, 2, 0, 2};
  constexpr std::array<double, 6> weights = {0.2447284711, 0.6652409558, 0.0900305732,
                                             0.4683105308, 0.0633789383, 0.4683105308};
  std::vector<Quantity> list;
  for (std::size_t n = 0; n < 6; ++n) list.push_back({text("score (%zu,%zu)", n / 3, n % 3), scores[n]});
  for (std::size_t n = 0; n < 6; ++n) list.push_back({text("weight (%zu,%zu)", n / 3, n % 3), weights[n]});
  list.insert(list.end(), {{"row sum 0", 1.0},
                           {"row sum 1", 1.0},
                           {"out (0,0)", 0.4247896174},
                           {"out (0,1)", 0.8453021021},
                           {"out (1,0)", 1.4049315925},
                           {"out (1,1)", 1.0},
                           {"lse 0", 2.4076059644},
                           {"lse 1", 2.7586236757}});
  return list;
}

// In the order of quantities(). heed gives no scores: they are ln(weight) + lse.
std::vector<double> seen_by(const Way& way) {
  const SmallCall call{small_sizes(1, 1, 2, 3, 2), {1, 0, 0, 2}, {1, 1, 2, 0, 0, 1}, {1, 0, 0, 1, 2, 2}};
  const SmallAnswer answer = attend(call, way, {.scale = 1.0f});
  std::vector<double> seen;
  const auto weight = [&](std::size_t n) { return static_cast<double>(answer.weights[n]); };
  for (std::size_t n = 0; n < 6; ++n) seen.push_back(std::log(weight(n)) + static_cast<double>(answer.lse[n / 3]));
  for (std::size_t n = 0; n < 6; ++n) seen.push_back(weight(n));
  for (const std::size_t row : {0u, 3u}) seen.push_back(weight(row) + weight(row + 1) + weight(row + 2));
  for (const float value : answer.out) seen.push_back(static_cast<double>(value));
  for (const float value : answer.lse) seen.push_back(static_cast<double>(value));
  return seen;
}

}  // namespace

bool print_example(std::ostream& out) {
  const std::vector<Way> ways = all_ways();
  std::vector<std::string> heads = {"quantity", "by hand"};
  std::vector<std::vector<double>> seen;
  for (const Way& way : ways) {
    heads.push_back(way.name());
    seen.push_back(seen_by(way));
  }
  heads.insert(heads.end(), {"largest error", "verdict"});
  Table table(heads);
  bool holds = true;
  const std::vector<Quantity> list = quantities();
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::vector<std::string> cells = {list[n].name, text("%.7f", list[n].by_hand)};
    double worst = 0.0;
    for (const std::vector<double>& values : seen) {
      // A score of 0 comes out of ln(weight) + lse as a rounding of either sign.
      cells.push_back(text("%.7f", values[n] == 0.0 ? 0.0 : values[n]));
      worst = std::max(worst, distance(values[n], list[n].by_hand));
    }
    cells.insert(cells.end(), {number(worst), verdict(worst <= tolerance)});
    holds = holds && worst <= tolerance;
    table.add(cells);
  }
  out << introduction;
  table.print(out);
  out << "\nexpected: every path within 1e-06 of the numbers by hand: " << verdict(holds) << '\n';
  return holds;
}

}  // namespace heed::audit
