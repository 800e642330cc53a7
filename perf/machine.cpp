// SPDX-License-Identifier: Apache-2.0
// The CPU's name as Linux tells it; elsewhere it is left unknown.
#include "machine.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

#include "heed/attention.hpp"

namespace heed::perf {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

std::string caches() {
  std::string list;
  const auto add = [&](const char* name, int which) {
    const long bytes = sysconf(which);
    if (bytes > 0) list += (list.empty() ? "" : ", ") + std::to_string(bytes / 1024) + " KiB " + name;
  };
  add("L1D", _SC_LEVEL1_DCACHE_SIZE);
  add("L2", _SC_LEVEL2_CACHE_SIZE);
  add("L3", _SC_LEVEL3_CACHE_SIZE);
  return list.empty() ? "unknown" : list;
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 32> text{};
  if (gmtime_r(&now, &utc) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc) == 0)
    return "unknown";
  return text.data();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts() {
  return {{"CPU", cpu_name()},
          {"Threads", std::to_string(std::thread::hardware_concurrency())},
          {"Caches", caches()},
          {"ISAs that run here", joined(available_isas())},
          {"Paths in this build", joined(available_paths())},
          {"heed", version()},
          {"Made on", today()}};
}

}  // namespace heed::perf
