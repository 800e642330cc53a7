// SPDX-License-Identifier: Apache-2.0
#include "tabular/resident.hpp"

#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace heed::perf {
namespace {

double status_mib(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name + ":")) continue;
    double kib = 0.0;
    std::istringstream(line.substr(name.size() + 1)) >> kib;
    return kib / 1024.0;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double resident_mib() { return status_mib("VmRSS"); }
double peak_mib() { return status_mib("VmHWM"); }

bool restart_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  return file.good();
}

}  // namespace heed::perf
