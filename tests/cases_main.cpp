// SPDX-License-Identifier: Apache-2.0
// heed-cases: runs files of cases with known answers. Exit status 0: all passed; 1: a case failed;
// 2: a file or an argument is wrong.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cases/read_cases.hpp"
#include "cases/run_case.hpp"

namespace {

using heed::tests::Selection;
using heed::tests::Way;

// What to run on, out of what runs here. Throws on a name that selects nothing.
Selection select(const std::string& path, const std::string& isa, int threads) {
  Selection selection;
  heed::tests::for_each_way([&](const Way& way) {
    const bool is_path = path.empty() || path == heed::path_name(way.path);
    const bool is_isa = isa.empty() || way.isa.empty() || isa == way.isa;
    if (is_path && is_isa) selection.ways.push_back(way);
  });
  const auto join = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!has(heed::available_paths(), path))
    throw heed::tests::BadCase("--path: '" + path + "', expected one of: " + join(heed::available_paths()));
  if (!has(heed::tests::isas_under_test(), isa))
    throw heed::tests::BadCase("--isa: '" + isa + "', expected one of: " + join(heed::tests::isas_under_test()));
  if (threads > 0) selection.threads = {threads};
  return selection;
}

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

void run_file(const std::string& file, const Selection& selection, Counts& counts) {
  for (const heed::tests::Case& the_case : heed::tests::read_case_file(file)) {
    if (!the_case.skip_reason.empty()) {
      std::printf("skipped %s: %s\n", the_case.name.c_str(), the_case.skip_reason.c_str());
      ++counts.skipped;
      continue;
    }
    const std::vector<std::string> failures = heed::tests::run_case(the_case, selection);
    constexpr std::size_t shown = 4;  // one fault shows on every ISA and thread count
    for (std::size_t n = 0; n < std::min(shown, failures.size()); ++n) std::printf("FAILED %s\n", failures[n].c_str());
    if (failures.size() > shown) std::printf("FAILED %s: %zu more\n", the_case.name.c_str(), failures.size() - shown);
    ++(failures.empty() ? counts.passed : counts.failed);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string path, isa;
  int threads = 0;
  std::vector<std::string> files;
  CLI::App app("Runs attention cases with known answers on every path, ISA and 1, 2 and 8 threads.", "heed-cases");
  app.add_option("--path", path, "one path only: streaming, onednn, reference");
  app.add_option("--isa", isa, "one ISA only (of the streaming path)");
  app.add_option("--threads", threads, "one thread count only")->check(CLI::PositiveNumber);
  app.add_option("FILE", files, "JSON files of cases")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Selection selection = select(path, isa, threads);
  Counts counts;
  for (const std::string& file : files) run_file(file, selection, counts);
  std::printf("%d passed, %d failed", counts.passed, counts.failed);
  if (counts.skipped > 0) std::printf(", %d skipped", counts.skipped);
  std::printf("\n");
  return counts.failed == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "heed-cases: %s\n", error.what());
  return 2;
}
