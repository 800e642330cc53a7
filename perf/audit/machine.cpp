// SPDX-License-Identifier: Apache-2.0
// The CPU's name as Linux tells it; elsewhere it is left unknown.
#include "audit/machine.hpp"

#include <ctime>
#include <fstream>
#include <thread>

#include "audit/text.hpp"
#include "heed/attention.hpp"

namespace heed::audit {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (gmtime_r(&now, &utc) == nullptr) return "unknown";
  return text("%04d-%02d-%02d %02d:%02d UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts() {
  return {{"CPU", cpu_name()},
          {"Threads", std::to_string(std::thread::hardware_concurrency())},
          {"ISAs that run here", joined(available_isas())},
          {"Paths in this build", joined(available_paths())},
          {"heed", version()},
          {"Made on", today()}};
}

}  // namespace heed::audit
