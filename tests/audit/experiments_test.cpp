// SPDX-License-Identifier: Apache-2.0
// The commands that need no tensors.
#include <doctest/doctest.h>

#include "audit/experiments.hpp"
#include "audit_run.hpp"
#include "heed/attention.hpp"

namespace heed::tests {
TEST_CASE("example: every score, weight and output stands beside what each path answers") {
  const AuditRun run = run_audit({"example"});
  CHECK(run.status == audit::exit_ok);
  CHECK(run.err.empty());
  for (const char* number : {"0.2447285", "0.6652410", "0.0900306", "0.4683105", "0.0633789", "0.4247896", "0.8453021",
                             "1.4049316", "2.4076060", "2.7586237", "score (1,2)", "row sum 1"})
    CHECK(says(run.out, number));
  for (const std::string& isa : available_isas()) CHECK(says(run.out, "streaming " + isa));
  CHECK(says(run.out, "reference"));
  CHECK(run.out.find("FAIL") == std::string::npos);
}

TEST_CASE("experiments: four tables, what was expected and seen, and a verdict each") {
  const Folder folder;
  const AuditRun run = run_audit({"experiments", "--html", folder.file("e.html")});
  CHECK_MESSAGE(run.status == audit::exit_ok, run.out);
  for (const char* part : {"== A. ", "== B. ", "== C. ", "== D. ", "experiments: A ok B ok C ok D ok"})
    CHECK(says(run.out, part));
  const std::string page = bytes_of(folder.file("e.html"));
  for (const char* part : {"id=\"table-A\"", "id=\"table-D\"", "<strong>Seen:</strong>"}) CHECK(says(page, part));
  CHECK(page.find("✗") == std::string::npos);
  CHECK(page.find("http") == std::string::npos);
}

TEST_CASE("stability: the naive form overflows in the rows from 89 on, and only there") {
  const audit::Experiment found = audit::stability_experiment();
  CHECK(found.holds);
  const auto& lines = found.table.lines();
  REQUIRE(lines.size() == 9);
  for (std::size_t n = 1; n < lines.size(); ++n) {
    CAPTURE(lines[n][0]);
    CHECK((lines[n][1] == "inf") == (std::stod(lines[n][0]) >= 89.0));
    CHECK((lines[n][2] == "NaN") == (std::stod(lines[n][0]) >= 89.0));
  }
}

TEST_CASE("commands: mistakes are named, and a page that can't be written is an error before the work starts") {
  CHECK(refusal({"experiments", "--html", "no/such/folder/e.html"}) ==
        "heed-audit: --html no/such/folder/e.html: cannot be written\n");
  AuditRun run = run_audit({"example", "--html", "e.html"});
  CHECK(run.status == audit::exit_error);
  CHECK(says(run.err, "heed-audit example: "));
  run = run_audit({"experiments", "--help"});
  CHECK(run.status == audit::exit_ok);
  CHECK(says(run.out, "--html FILE"));
  CHECK(says(run_audit({"--help"}).out, "heed-audit experiments [--html FILE]"));
}

}  // namespace heed::tests
