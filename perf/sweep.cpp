// SPDX-License-Identifier: Apache-2.0
// heed-sweep: how fast attention is on this machine, beside what the machine could do. Rows are
// presets or specs, times paths, ISAs and thread counts. Its parts are in sweep/; perf/README.md
// explains the columns.
#include "sweep/sweep.hpp"

#include <cstdio>
#include <exception>
#include <iostream>

#include "sweep/command_line.hpp"

namespace heed::perf {
namespace {

const char* tier_name(Tier tier) {
  switch (tier) {
    case Tier::quick: return "quick";
    case Tier::full: return "full";
    case Tier::all: break;
  }
  return "all";
}

void list_presets() {
  for (const Preset& preset : presets) {
    std::printf("%-24s %s (%s)\n", preset.name, preset.about, tier_name(preset.tier));
    std::printf("%-24s %s\n", "", preset.spec);
  }
}

int run(int argc, char** argv) {
  SweepArguments arguments;
  if (const std::optional<int> status = parse_command_line(argc, argv, arguments)) return *status;
  if (arguments.wants_list) {
    list_presets();
    return 0;
  }
  if (arguments.compare.size() == 2) return compare_files(arguments.compare[0], arguments.compare[1]);
  return sweep(arguments);
}

}  // namespace
}  // namespace heed::perf

int main(int argc, char** argv) {
  try {
    return heed::perf::run(argc, argv);
  } catch (const heed::perf::ArgumentError& error) {
    std::cerr << "heed-sweep: " << error.message << '\n';
    return heed::perf::bad_arguments;
  } catch (const std::exception& error) {
    std::cerr << "heed-sweep: " << error.what() << '\n';
    return heed::perf::failed_rows;
  }
}
