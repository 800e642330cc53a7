// SPDX-License-Identifier: Apache-2.0
// A first word without "=" is the name: specs begin with b=.
#include "sweep/spec_file.hpp"

#include <fstream>

#include "sweep/arguments.hpp"

namespace heed::perf {
namespace {

constexpr const char* blanks = " \t\r";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

NamedSpec parse_line(const std::string& line, const std::string& place) {
  NamedSpec named{"-", {}};
  std::string text = line;
  if (const std::string word = text.substr(0, text.find_first_of(blanks)); word.find('=') == std::string::npos) {
    named.name = word;
    text = trimmed(text.substr(word.size()));
  }
  if (const std::string problem = parse_spec(text, named.spec); !problem.empty())
    throw ArgumentError{"--specs: " + place + ": " + problem};
  return named;
}

}  // namespace

std::vector<NamedSpec> read_spec_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ArgumentError{"--specs: '" + path + "' can't be read"};
  std::vector<NamedSpec> specs;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (!content.empty()) specs.push_back(parse_line(content, path + ":" + std::to_string(number)));
  }
  if (specs.empty()) throw ArgumentError{"--specs: '" + path + "' holds no spec"};
  return specs;
}

}  // namespace heed::perf
