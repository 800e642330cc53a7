// SPDX-License-Identifier: Apache-2.0
// Turns names into presets, specs, paths, ISAs and thread counts, or says which name is wrong.
#include "sweep_arguments.hpp"

#include <algorithm>
#include <iterator>
#include <thread>

#include "presets.hpp"

namespace heed::perf {
namespace {

const Preset* find_preset(const std::string& name) {
  for (const Preset& preset : presets)
    if (name == preset.name) return &preset;
  return nullptr;
}

Spec spec_from(const std::string& text) {
  Spec spec;
  if (const std::string problem = parse_spec(text, spec); !problem.empty()) throw ArgumentError{problem};
  return spec;
}

// What is to run, in the order of the list; a base comes with the rows that are compared with it.
std::vector<const Preset*> chosen_presets(const SweepArguments& arguments) {
  for (const std::string& name : arguments.presets)
    if (find_preset(name) == nullptr)
      throw ArgumentError{"--preset: '" + name + "' is unknown, expected a name that heed-sweep --list shows"};
  const auto is_named = [&](const Preset& preset) {
    if (arguments.presets.empty()) return arguments.specs.empty() && (preset.is_quick || !arguments.is_quick);
    return std::find(arguments.presets.begin(), arguments.presets.end(), preset.name) != arguments.presets.end();
  };
  std::vector<const Preset*> chosen;
  for (const Preset& preset : presets) {
    const auto compares_with_it = [&](const Preset& other) {
      return other.base != nullptr && std::string(other.base) == preset.name && is_named(other);
    };
    if (is_named(preset) || std::any_of(std::begin(presets), std::end(presets), compares_with_it))
      chosen.push_back(&preset);
  }
  return chosen;
}

Path path_from(const std::string& name) {
  for (const Path path : {Path::streaming, Path::onednn, Path::reference})
    if (name == path_name(path)) return path;
  std::string message = "--path: '" + name + "' is unknown, expected one of:";
  for (const std::string& known : available_paths()) message += " " + known;
  throw ArgumentError{message};
}

// The ISA that the library takes for a name, or for none; "" for a path without ISAs. The smallest
// call tells what can't run here at all. oneDNN chooses for itself: what it may use at most.
std::string resolved_isa(Path path, const std::string& isa) {
  Options options;
  options.path = path;
  options.isa = isa;
  Explanation explanation;
  const Tensor tensor = bhnd(static_cast<float*>(nullptr), 1, 1, 1, 1);
  const Status status = explain(tensor, tensor, tensor, tensor, options, explanation);
  if (!status.ok()) throw ArgumentError{status.message()};
  if (path == Path::onednn) return isa.empty() ? available_isas().front() : isa;
  return explanation.isa;
}

}  // namespace

std::vector<std::vector<Subject>> groups_of(const SweepArguments& arguments) {
  std::vector<std::vector<Subject>> groups;
  for (const Preset* preset : chosen_presets(arguments)) {
    if (preset->base == nullptr) groups.emplace_back();
    groups.back().push_back({preset->name, spec_from(preset->spec), preset->base == nullptr ? "" : preset->base, ""});
  }
  for (const std::string& text : arguments.specs) groups.emplace_back().push_back({"-", spec_from(text), "", ""});
  return groups;
}

std::vector<Setting> settings_of(const SweepArguments& arguments) {
  std::vector<std::string> isas = arguments.isas;
  if (isas == std::vector<std::string>{"all"}) isas = available_isas();
  if (isas.empty()) isas = {""};
  std::vector<int> threads = arguments.threads;
  if (threads.empty()) {
    threads = {1};
    if (const auto all = static_cast<int>(std::thread::hardware_concurrency()); all > 1) threads.push_back(all);
  }
  std::vector<Setting> settings;
  for (const std::string& path_text : arguments.paths) {
    const Path path = path_from(path_text);
    for (std::size_t index = 0; index < isas.size(); ++index) {
      if (path != Path::streaming && index > 0) continue;  // one row: it has no ISA to choose
      const std::string isa = resolved_isa(path, isas[index]);
      for (const int count : threads) settings.push_back({path, isa, count, arguments.min_seconds});
    }
  }
  return settings;
}

}  // namespace heed::perf
