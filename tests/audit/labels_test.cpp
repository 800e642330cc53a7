// SPDX-License-Identifier: Apache-2.0
// Names of rows and keys: as many as there are, in any bytes.
#include <doctest/doctest.h>

#include "audit_run.hpp"

namespace heed::tests {
namespace {

struct Files {
  Folder folder;
  Files() {
    write(folder.file("q.npy"), normal({1, 1, 2, 4}, 1));
    write(folder.file("k.npy"), normal({1, 1, 3, 4}, 2));
  }
  Arguments arguments(const std::string& option, const std::string& names) const {
    write_bytes(folder.file("names.txt"), names);
    return {"--q",  folder.file("q.npy"),    "--k", folder.file("k.npy"), "--v", folder.file("k.npy"), "--rows", "0:2",
            option, folder.file("names.txt")};
  }
  AuditRun run(const std::string& option, const std::string& names) const {
    return run_audit(arguments(option, names));
  }
  std::string refusal(const std::string& option, const std::string& names) const {
    return tests::refusal(arguments(option, names));
  }
};

}  // namespace

TEST_CASE("labels of the wrong count say how many were wanted") {
  const Files files;
  const std::string name = files.folder.file("names.txt");
  CHECK(files.refusal("--row-labels", "a\nb\nc\n") ==
        "heed-audit: --row-labels " + name + ": more than 2 lines, expected 2, one for each query row\n");
  CHECK(files.refusal("--row-labels", "a\n") ==
        "heed-audit: --row-labels " + name + ": 1 lines, expected 2, one for each query row\n");
  CHECK(files.refusal("--key-labels", "") ==
        "heed-audit: --key-labels " + name + ": 0 lines, expected 3, one for each key\n");
  const AuditRun absent = run_audit({"--q", files.folder.file("q.npy"), "--k", files.folder.file("k.npy"), "--v",
                                     files.folder.file("k.npy"), "--key-labels", files.folder.file("none.txt")});
  CHECK(absent.err == "heed-audit: --key-labels " + files.folder.file("none.txt") + ": cannot be read\n");
}

TEST_CASE(
    "the last line may lack its end, lines may be empty or end as on Windows, and controls do not reach a terminal") {
  const Files files;
  AuditRun run = files.run("--key-labels", "one\r\n\r\nthree");
  CHECK(run.status == audit::exit_ok);
  CHECK(run.out.find("\n2 three") != std::string::npos);
  CHECK(run.out.find('\r') == std::string::npos);
  run = files.run("--row-labels", "\x1b[31mred\nb\n");
  CHECK(run.status == audit::exit_ok);
  CHECK(run.out.find('\x1b') == std::string::npos);
  CHECK(run.out.find("0 \uFFFD[31mred") != std::string::npos);
}

TEST_CASE("columns stay aligned when names hold more bytes than characters") {
  const Files files;
  const AuditRun run = files.run("--row-labels", "größe\nlabel\n");
  const std::size_t first = run.out.find("\n0 größe"), second = run.out.find("\n1 label");
  REQUIRE(first != std::string::npos);
  REQUIRE(second != std::string::npos);
  const auto sum_at = [&](std::size_t line) { return run.out.find('.', line) - line; };
  CHECK(sum_at(first) == sum_at(second) + 2);  // two characters of two bytes
}

}  // namespace heed::tests
