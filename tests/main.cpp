// SPDX-License-Identifier: Apache-2.0
// Runs the doctest cases of one test program. Prints the seed and the ISAs, and fails when an ISA
// that is built and runs here was not exercised.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/for_each_isa.hpp"
#include "support/run_options.hpp"

namespace {

// A run of single tests need not touch every ISA.
bool selects_tests(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  for (const std::string_view filter : {"-tc", "--test-case", "-ts", "--test-suite", "-sf", "--source-file"})
    if (name == filter) return true;
  return false;
}

void read_argument(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return;
  const std::string value(argument.substr(equals + 1));
  heed::tests::RunOptions& options = heed::tests::run_options();
  if (argument.starts_with("--seed=")) options.seed = std::strtoull(value.c_str(), nullptr, 10);
  if (argument.starts_with("--seconds=")) options.seconds = std::strtod(value.c_str(), nullptr);
  if (argument.starts_with("--spec=")) options.spec = value;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  for (int n = 1; n < argc; ++n) read_argument(argv[n]);
  const std::vector<std::string> wanted = heed::tests::isas_under_test();
  std::printf("seed %llu; ISAs built that run here: %s; under test: %s\n",
              static_cast<unsigned long long>(heed::tests::run_options().seed), join(heed::available_isas()).c_str(),
              join(wanted).c_str());
  int result = context.run();
  if (context.shouldExit() || std::any_of(argv + 1, argv + argc, selects_tests)) return result;
  if (wanted.empty()) {
    std::fprintf(stderr, "HEED_ISA: '%s' does not run here\n", std::getenv("HEED_ISA"));
    result = 1;
  }
  for (const std::string& isa : wanted) {
    if (heed::tests::exercised_isas().contains(isa)) continue;
    std::fprintf(stderr, "no test of this program used the ISA %s\n", isa.c_str());
    result = 1;
  }
  return result;
}
