// SPDX-License-Identifier: Apache-2.0
// Loops over the ISAs and paths that run here. HEED_ISA restricts them to one, so that a suite can be
// run for a single ISA. What was looped over is remembered; main.cpp fails when one was left out.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace heed::tests {

inline std::vector<std::string> isas_under_test() {
  const char* wanted = std::getenv("HEED_ISA");
  std::vector<std::string> isas = available_isas();
  if (wanted != nullptr && *wanted != '\0')
    std::erase_if(isas, [&](const std::string& name) { return name != wanted; });
  return isas;
}

inline std::set<std::string>& exercised_isas() {
  static std::set<std::string> isas;
  return isas;
}

template <class Body>
void for_each_isa(const Body& body) {
  for (const std::string& isa : isas_under_test()) {
    exercised_isas().insert(isa);
    body(isa);
  }
}

// One way to carry out a call; isa is empty for paths without one.
struct Way {
  Path path = Path::streaming;
  std::string isa{};
  std::string text() const { return isa.empty() ? path_name(path) : std::string(path_name(path)) + "/" + isa; }
};

template <class Body>
void for_each_way(const Body& body) {
  for_each_isa([&](const std::string& isa) { body(Way{Path::streaming, isa}); });
  const std::vector<std::string> paths = available_paths();
  for (const Path path : {Path::onednn, Path::reference})
    if (std::ranges::find(paths, path_name(path)) != paths.end()) body(Way{path});
}

}  // namespace heed::tests
