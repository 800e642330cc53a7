// SPDX-License-Identifier: Apache-2.0
// Turns names into presets, specs, paths, ISAs and thread counts, or says which name is wrong.
#include "sweep/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <thread>

#include "sweep/spec_file.hpp"
#include "sweep/storage.hpp"

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

std::optional<Tier> tier_of(const SweepArguments& arguments) {
  const bool names_nothing = arguments.presets.empty() && arguments.specs.empty() && arguments.spec_files.empty();
  return names_nothing ? arguments.tier.value_or(Tier::quick) : arguments.tier;
}

// What is to run, in the order of the list; a base comes with the rows that are compared with it.
std::vector<const Preset*> chosen_presets(const SweepArguments& arguments) {
  for (const std::string& name : arguments.presets)
    if (find_preset(name) == nullptr)
      throw ArgumentError{"--preset: '" + name + "' is unknown, expected a name that heed-sweep --list shows"};
  const std::optional<Tier> tier = tier_of(arguments);
  const auto is_wanted = [&](const Preset& preset) {
    if (tier && preset.tier <= *tier) return true;
    return std::find(arguments.presets.begin(), arguments.presets.end(), preset.name) != arguments.presets.end();
  };
  std::vector<const Preset*> chosen;
  for (const Preset& preset : presets) {
    const auto compares_with_it = [&](const Preset& other) {
      return other.base != nullptr && std::string(other.base) == preset.name && is_wanted(other);
    };
    if (is_wanted(preset) || std::any_of(std::begin(presets), std::end(presets), compares_with_it))
      chosen.push_back(&preset);
  }
  return chosen;
}

// Each subject once for each storage order; as its spec says where none is given.
void apply_storages(std::vector<std::vector<Subject>>& groups, const std::vector<std::string>& names) {
  std::vector<Storage::Order> orders;
  for (const std::string& name : names) {
    if (name != "bhnd" && name != "bnhd")
      throw ArgumentError{"--storage: '" + name + "' is unknown, expected bhnd, bnhd or both"};
    orders.push_back(name == "bhnd" ? Storage::Order::bhnd : Storage::Order::bnhd);
  }
  if (orders.empty()) return;
  for (std::vector<Subject>& group : groups) {
    std::vector<Subject> stored;
    for (const Storage::Order order : orders)
      for (const Subject& subject : group)
        stored.push_back({subject.preset, in_storage(subject.spec, order), subject.base});
    group = std::move(stored);
  }
}

Path path_from(const std::string& name) {
  for (const Path path : {Path::streaming, Path::onednn, Path::reference})
    if (name == path_name(path)) return path;
  std::string message = "--path: '" + name + "' is unknown, expected one of:";
  for (const std::string& known : available_paths()) message += " " + known;
  throw ArgumentError{message};
}

int all_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int thread_count_from(const std::string& text) {
  if (text == "all") return all_threads();
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > 4096)
    throw ArgumentError{"--threads: '" + text + "', expected counts from 1 to 4096, or all"};
  return count;
}

std::vector<int> thread_counts(const SweepArguments& arguments) {
  std::vector<int> counts;
  const std::vector<std::string> standard = {"1", "all"};
  for (const std::string& text : arguments.threads.empty() ? standard : arguments.threads)
    if (const int count = thread_count_from(text); std::find(counts.begin(), counts.end(), count) == counts.end())
      counts.push_back(count);
  return counts;
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
    groups.back().push_back({preset->name, spec_from(preset->spec), preset->base == nullptr ? "" : preset->base});
  }
  for (const std::string& text : arguments.specs) groups.emplace_back().push_back({"-", spec_from(text)});
  for (const std::string& file : arguments.spec_files)
    for (NamedSpec& named : read_spec_file(file))
      groups.emplace_back().push_back({std::move(named.name), std::move(named.spec)});
  apply_storages(groups, arguments.storages);
  return groups;
}

std::vector<Setting> settings_of(const SweepArguments& arguments) {
  std::vector<std::string> isas = arguments.isas;
  if (isas == std::vector<std::string>{"all"}) isas = available_isas();
  if (isas.empty()) isas = {""};
  std::vector<Setting> settings;
  for (const std::string& path_text : arguments.paths) {
    const Path path = path_from(path_text);
    for (std::size_t index = 0; index < isas.size(); ++index) {
      if (path != Path::streaming && index > 0) continue;  // one row: it has no ISA to choose
      const std::string isa = resolved_isa(path, isas[index]);
      for (const int count : thread_counts(arguments))
        settings.push_back({path, isa, count, arguments.min_seconds, arguments.is_cold});
    }
  }
  return settings;
}

}  // namespace heed::perf
