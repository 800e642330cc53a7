// SPDX-License-Identifier: Apache-2.0
// --weights-of and --rows: sums, entropies and blocked cells, against the weights that the same run writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/shown.hpp"
#include "audit_run.hpp"

namespace heed::tests {
namespace {

constexpr std::int64_t batch = 2, heads = 3, kv_heads = 1, q_len = 6, kv_len = 9;

// Grouped heads, a causal rule from the right, and a bias that hides a key of head 1's rows alone.
struct Files {
  Folder folder;
  Files() {
    write(folder.file("q.npy"), normal({batch, heads, q_len, 4}, 1));
    write(folder.file("k.npy"), normal({batch, kv_heads, kv_len, 4}, 2));
    write(folder.file("v.npy"), normal({batch, kv_heads, kv_len, 4}, 3));
    Array<float> bias{{1, heads, 1, kv_len}, std::vector<float>(heads * kv_len, 0.0f)};
    bias.values[1 * kv_len + 2] = -std::numeric_limits<float>::infinity();
    write(folder.file("bias.npy"), bias);
  }
  Arguments arguments() const {
    return {"--q",    folder.file("q.npy"),    "--k",      folder.file("k.npy"), "--v",         folder.file("v.npy"),
            "--bias", folder.file("bias.npy"), "--causal", "--position",         "bottom_right"};
  }
  static bool is_blocked(std::int64_t row, std::int64_t key) { return key == 2 || key > row + kv_len - q_len; }
  std::string refusal(const Arguments& more) const { return tests::refusal(arguments() + more); }
};

}  // namespace

TEST_CASE("the shown rows are those of the weights that are written") {
  const Files files;
  const std::string report = files.folder.file("r.json"), weights_file = files.folder.file("w.npy");
  const AuditRun run = run_audit(files.arguments() + Arguments{"--weights-of", "1,1", "--rows", "2:5", "--json", report,
                                                               "--weights", weights_file});
  REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  CHECK(run.out.find("weights of batch item 1, head 1, by streaming: rows 2:5; 9 of 27 cells blocked") !=
        std::string::npos);

  const auto weights = read<float>(weights_file);
  const auto shown = json_of(report).at("shown");
  CHECK(shown.at("range") == nlohmann::json({2, 5}));
  CHECK(shown.at("blocked_cells") == 9);
  CHECK(shown.at("is_sample") == false);
  REQUIRE(shown.at("rows").size() == 3);
  std::vector<double> key_sums(kv_len, 0.0);
  for (std::int64_t i = 2; i < 5; ++i) {
    CAPTURE(i);
    double sum = 0.0, entropy = 0.0, largest = 0.0;
    std::int64_t blocked = 0;
    for (std::int64_t j = 0; j < kv_len; ++j) {
      const auto weight =
          static_cast<double>(weights.values[static_cast<std::size_t>(((1 * heads + 1) * q_len + i) * kv_len + j)]);
      sum += weight;
      if (weight > 0.0) entropy -= weight * std::log(weight);
      largest = std::max(largest, weight);
      blocked += Files::is_blocked(i, j);
      key_sums[static_cast<std::size_t>(j)] += weight;
    }
    const auto& row = shown.at("rows").at(static_cast<std::size_t>(i - 2));
    CHECK(row.at("row") == i);
    CHECK(row.at("sum").get<double>() == doctest::Approx(sum).epsilon(1e-12));
    CHECK(row.at("entropy").get<double>() == doctest::Approx(entropy).epsilon(1e-12));
    CHECK(row.at("largest_weight") == largest);
    CHECK(row.at("blocked_keys") == blocked);
  }
  for (std::size_t j = 0; j < kv_len; ++j)
    CHECK(shown.at("keys").at(j).at("sum").get<double>() == doctest::Approx(key_sums[j]).epsilon(1e-12));
  CHECK(shown.at("keys").at(2).at("blocked_in_rows") == 3);
}

TEST_CASE("equal scores: the entropy is the logarithm of the keys that are seen") {
  const Folder folder;
  write(folder.file("q.npy"), Array<float>{{1, 1, 4, 2}, std::vector<float>(8, 0.0f)});
  write(folder.file("k.npy"), normal({1, 1, 4, 2}, 1));
  const AuditRun run = run_audit({"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("k.npy"),
                                  "--causal", "--rows", "0:4", "--json", folder.file("r.json")});
  REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  const auto shown = json_of(folder.file("r.json")).at("shown");
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(shown.at("rows").at(i).at("entropy").get<double>() ==
          doctest::Approx(std::log(static_cast<double>(i + 1))).epsilon(1e-6));
  CHECK(run.out.find("1.3863") != std::string::npos);  // ln 4
}

TEST_CASE("rows in calls of their own have the weights of the whole call") {
  const Files files;
  audit::Arguments arguments;
  arguments.q.path = files.folder.file("q.npy");
  arguments.k.path = files.folder.file("k.npy");
  arguments.v.path = files.folder.file("v.npy");
  arguments.bias.path = files.folder.file("bias.npy");
  arguments.causal = true;
  arguments.position = Position::bottom_right();
  arguments.weights_of = audit::HeadPlace{1, 1};
  const audit::Call call(arguments);
  audit::Outputs outputs;
  const audit::AllRowFacts facts(call, 1);
  REQUIRE(audit::PathRunner(call, facts).run(Path::reference, nullptr, true, outputs).is_ok());
  audit::Shown whole = audit::select(arguments, call), own = whole;
  REQUIRE(audit::fill(call, Path::reference, outputs.weights, whole).ok());
  REQUIRE(audit::fill(call, Path::reference, {}, own).ok());
  CHECK_FALSE(whole.is_own_call);
  CHECK(own.is_own_call);
  CHECK(own.weights == whole.weights);
  CHECK(own.blocked == whole.blocked);
  CHECK(own.blocked_cells == whole.blocked_cells);
}

TEST_CASE("more rows than fit are sampled evenly, with both ends, and that is said") {
  CHECK(audit::evenly_spread(3, 6, 10) == std::vector<std::int64_t>{3, 4, 5});
  CHECK(audit::evenly_spread(0, 100, 4) == std::vector<std::int64_t>{0, 33, 66, 99});
  CHECK(audit::evenly_spread(7, 9, 1) == std::vector<std::int64_t>{7});
  const Folder folder;
  write(folder.file("q.npy"), normal({1, 1, 700, 2}, 1));
  write(folder.file("k.npy"), normal({1, 1, 3, 2}, 2));
  const AuditRun run = run_audit(
      {"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("k.npy"), "--weights-of", "0,0"});
  CHECK(run.status == audit::exit_ok);
  CHECK(run.out.find("rows 0:700, 256 of them, evenly spread") != std::string::npos);
}

TEST_CASE("a head or rows that are not there are an error that says what there is") {
  const Files files;
  CHECK(files.refusal({"--weights-of", "2,0"}) ==
        "heed-audit: --weights-of: 2,0, expected a batch item below 2 and a head below 3\n");
  CHECK(files.refusal({"--weights-of", "0,-1"}).find("a head below 3") != std::string::npos);
  CHECK(files.refusal({"--rows", "0:7"}) == "heed-audit: --rows: 0:7, expected FIRST:END with 0 <= FIRST < END <= 6\n");
  CHECK(files.refusal({"--rows", "3:3"}).find("FIRST < END") != std::string::npos);
  CHECK(files.refusal({"--rows", "3"}).find("'3', expected FIRST:END, such as 0:16") != std::string::npos);
  CHECK(files.refusal({"--weights-of", "0:1"}).find("'0:1', expected B,H") != std::string::npos);
}

}  // namespace heed::tests
