// SPDX-License-Identifier: Apache-2.0
// The page of --html and the picture of --svg: each cell's weight, hatching exactly where the mask is, no
// network, no markup from users, no more than 2 MB. What a browser makes of it is .ci/check_report.sh.
#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <regex>
#include <utility>

#include "audit/picture.hpp"
#include "audit_run.hpp"
#include "heed/attention.hpp"

namespace heed::tests {
namespace {

const std::string data = "tests/data/minilm/";

Arguments minilm(std::int64_t item, std::int64_t head) {
  return {"--q",           data + "layer0_q.npy",    "--k",          data + "layer0_k.npy",
          "--v",           data + "layer0_v.npy",    "--heads",      "12",
          "--key-allowed", data + "key_allowed.npy", "--weights-of", std::to_string(item) + "," + std::to_string(head)};
}

struct Cell {
  std::string kind, weight;  // CSS class; what stands after the last colon
};

// The cells of a picture, by row and key.
std::map<std::pair<int, int>, Cell> cells_of(const std::string& page) {
  std::map<std::pair<int, int>, Cell> cells;
  const std::regex pattern("class=\"([a-z0-9]+)\"><title>row (\\d+), key (\\d+)[^:]*: ([^<]*)</title>");
  for (std::sregex_iterator match(page.begin(), page.end(), pattern), end; match != end; ++match)
    cells[{std::stoi((*match)[2]), std::stoi((*match)[3])}] = {(*match)[1], (*match)[4]};
  return cells;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct Square {
  Folder folder;
  explicit Square(std::int64_t tokens) {
    write(folder.file("q.npy"), normal({1, 1, tokens, 4}, 1));
    write(folder.file("k.npy"), normal({1, 1, tokens, 4}, 2));
  }
  Arguments arguments() const {
    return {"--q", folder.file("q.npy"), "--k", folder.file("k.npy"), "--v", folder.file("k.npy")};
  }
};

}  // namespace

TEST_CASE("every cell has its exact weight, and is hatched exactly where the mask is") {
  const Folder folder;
  const std::string page = folder.file("r.html"), weights_file = folder.file("w.npy");
  const AuditRun run =
      run_audit(minilm(5, 5) + Arguments{"--html", page, "--weights", weights_file, "--svg", folder.file("p.svg"),
                                         "--row-labels", data + "tokens_5.txt", "--key-labels", data + "tokens_5.txt"});
  REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  const auto allowed = read<std::uint8_t>(data + "key_allowed.npy");
  const auto weights = read<float>(weights_file);
  for (const char* file : {"r.html", "p.svg"}) {
    CAPTURE(file);
    const auto cells = cells_of(bytes_of(folder.file(file)));
    REQUIRE(cells.size() == 19 * 19);
    for (const auto& [place, cell] : cells) {
      const auto [row, key] = place;
      CAPTURE(row);
      CAPTURE(key);
      if (allowed.values[static_cast<std::size_t>(5 * 19 + key)] == 0) {
        CHECK(cell.kind == "blocked");
        CHECK(cell.weight == "blocked");
      } else {
        CHECK(cell.kind[0] == 'w');
        const auto at = static_cast<std::size_t>(((5 * 19 + row) * 12 + 5) * 19 + key);
        CHECK(std::stof(cell.weight) == weights.values[at]);
      }
    }
  }
  const std::string html = bytes_of(page);
  CHECK(html.find("(index → at): ") != std::string::npos);
  CHECK(html.find("What this picture proves") != std::string::npos);
  CHECK(html.find("feature importance or causality") != std::string::npos);
  CHECK(html.find("76 of 361 cells blocked") != std::string::npos);
  CHECK(html.find("tile      ") != std::string::npos);  // of the plan
  CHECK(html.find("ISAs that run here") != std::string::npos);
  CHECK(count(html, "Sampled:") == 0);
  CHECK(count(html, "not a number") == 0);
}

TEST_CASE("a page loads nothing, runs nothing, and takes no markup from users") {
  const Folder folder;
  const std::string page = folder.file("a<b>&.html"), labels = folder.file("names.txt");
  std::string names;
  for (int n = 0; n < 19; ++n) names += "<script>alert(" + std::to_string(n) + ")</script>\n";
  write_bytes(labels, names);
  const AuditRun run =
      run_audit(minilm(0, 0) + Arguments{"--html", page, "--row-labels", labels, "--key-labels", labels});
  REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  const std::string html = bytes_of(page);
  for (const char* never : {"<script", "http", "url(//", "@import", "src=", "a<b>"}) {
    CAPTURE(never);
    CHECK(html.find(never) == std::string::npos);
  }
  CHECK(html.find("&lt;script&gt;alert(18)&lt;/script&gt;") != std::string::npos);
  CHECK(html.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(html.find("@media print") != std::string::npos);
}

TEST_CASE("256 x 256 stays below 2 MB, by sampling rows, and says so; names do not break that") {
  const Square square(256);
  std::string names;
  for (int n = 0; n < 256; ++n) names += std::to_string(n) + "&&&&&&&&&&&&&&&&&&&&&&&&&&&&\n";
  write_bytes(square.folder.file("names.txt"), names);
  const std::string page = square.folder.file("r.html"), names_file = square.folder.file("names.txt");
  for (const Arguments& more : {Arguments{}, Arguments{"--row-labels", names_file, "--key-labels", names_file}}) {
    REQUIRE(run_audit(square.arguments() + Arguments{"--causal", "--html", page} + more).status == audit::exit_ok);
    const std::string html = bytes_of(page);
    CHECK(html.size() < 2000000);
    CHECK(html.find("of the 256 rows are drawn, evenly spread.") != std::string::npos);
    const auto cells = cells_of(html);
    CHECK(cells.size() % 256 == 0);
    CHECK(cells.size() >= 256 * 5);
    CHECK(cells.at({0, 1}).kind == "blocked");
    CHECK(cells.at({0, 0}).weight == "1");
    CHECK(cells.at({255, 255}).kind[0] == 'w');
    // The tables have all rows and keys.
    CHECK(count(html, "<th scope=\"row\">") >= 512);
  }
}

TEST_CASE("a page stays below 2 MB with many keys, of which some are drawn, and says so") {
  const Square square(2);
  write(square.folder.file("k.npy"), normal({1, 1, 30000, 4}, 2));
  const std::string page = square.folder.file("r.html");
  REQUIRE(run_audit(square.arguments() + Arguments{"--html", page}).status == audit::exit_ok);
  const std::string html = bytes_of(page);
  CHECK(html.size() < 2000000);
  CHECK(html.find("256 of the 30000 keys are drawn, evenly spread") != std::string::npos);
  CHECK(html.find("The 256 keys with the largest weight") != std::string::npos);
  CHECK(cells_of(html).size() == 2 * 256);
}

TEST_CASE("a failed verdict, a NaN and an absent path show on the page") {
  const Square square(5);
  Array<float> q = read<float>(square.folder.file("q.npy"));
  q.values[0] = std::numeric_limits<float>::quiet_NaN();
  write(square.folder.file("q.npy"), q);
  Array<float> wrong = normal({1, 1, 5, 4}, 9);
  write(square.folder.file("wrong.npy"), wrong);
  const std::string page = square.folder.file("r.html");
  const AuditRun run =
      run_audit(square.arguments() + Arguments{"--html", page, "--expect", square.folder.file("wrong.npy")});
  CHECK(run.status == audit::exit_verdict);
  const std::string html = bytes_of(page);
  CHECK(html.find("<h1>heed-audit <span class=\"badge bad\">✗ FAIL</span></h1>") != std::string::npos);
  CHECK(html.find("✗ streaming: out against --expect: off by") != std::string::npos);
  const auto cells = cells_of(html);
  CHECK(cells.at({0, 3}).kind == "nan");
  CHECK(cells.at({0, 3}).weight == "NaN");
  CHECK(html.find("not a number, or blocked and yet not 0") != std::string::npos);
  CHECK(cells.at({1, 3}).kind[0] == 'w');
  const bool has_onednn = available_paths().size() == 3;
  CHECK((run.out.find("not run: onednn (path: onednn ") == std::string::npos) == has_onednn);
  CHECK((html.find("Not run: onednn (path: onednn ") == std::string::npos) == has_onednn);
}

TEST_CASE("a weight on a blocked key is drawn as an error") {
  const Square square(3);
  audit::Arguments arguments;
  arguments.q.path = square.folder.file("q.npy");
  arguments.k.path = arguments.v.path = square.folder.file("k.npy");
  arguments.causal = true;
  const audit::Call call(arguments);
  audit::Shown shown = audit::select(arguments, call);
  REQUIRE(audit::fill(call, Path::streaming, std::vector<float>(9, 0.25f), shown).ok());
  const auto cells = cells_of(audit::picture_file(shown));
  CHECK(cells.at({0, 2}).kind == "nan");
  CHECK(cells.at({0, 2}).weight == "blocked, and yet 0.25");
  CHECK(cells.at({2, 0}).kind == "w31");
}

TEST_CASE("a call without weights has a page without a picture") {
  const Folder folder;
  write(folder.file("q.npy"), normal({1, 2, 0, 4}, 1));
  write(folder.file("k.npy"), normal({1, 2, 3, 4}, 1));
  const Arguments tensors = {"--q", folder.file("q.npy"), "--k",        folder.file("k.npy"),
                             "--v", folder.file("k.npy"), "--position", "top_left"};
  CHECK(run_audit(tensors + Arguments{"--html", folder.file("r.html")}).status == audit::exit_ok);
  CHECK(bytes_of(folder.file("r.html")).find("There are no weights to draw.") != std::string::npos);
  const AuditRun picture = run_audit(tensors + Arguments{"--svg", folder.file("p.svg")});
  CHECK(picture.status == audit::exit_error);
  CHECK(picture.err.find(": the call has no weights to draw") != std::string::npos);
}

TEST_CASE("the picture of the README is what the tool makes") {
  const Folder folder;
  const AuditRun run =
      run_audit(minilm(5, 5) + Arguments{"--svg", folder.file("p.svg"), "--isa", "baseline", "--row-labels",
                                         data + "tokens_5.txt", "--key-labels", data + "tokens_5.txt"});
  REQUIRE_MESSAGE(run.status == audit::exit_ok, run.out, run.err);
  const std::string kept = bytes_of("perf/audit/minilm.svg");
  CHECK(kept.size() < 100000);
  const auto cells = cells_of(kept), made = cells_of(bytes_of(folder.file("p.svg")));
  REQUIRE(cells.size() == made.size());
  for (const auto& [place, cell] : cells) {
    CHECK(cell.kind == made.at(place).kind);
    if (cell.kind != "blocked") CHECK(std::stof(cell.weight) == doctest::Approx(std::stof(made.at(place).weight)));
  }
}

}  // namespace heed::tests
