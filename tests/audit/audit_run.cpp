// SPDX-License-Identifier: Apache-2.0
// See audit_run.hpp.
#include "audit_run.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "audit/audit.hpp"

namespace heed::tests {
namespace {

std::int64_t elements(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

// Numbers in (0, 1). The standard's distributions differ between libraries.
class Uniform {
 public:
  explicit Uniform(std::uint32_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (static_cast<double>(state_ >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

AuditRun run_audit(const Arguments& arguments) {
  std::vector<const char*> argv = {"heed-audit"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::ostringstream out, err;
  AuditRun run;
  run.status = audit::run_audit(static_cast<int>(argv.size()), argv.data(), out, err);
  run.out = out.str();
  run.err = err.str();
  return run;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "heed-audit-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

nlohmann::json json_of(const std::string& path) { return nlohmann::json::parse(bytes_of(path)); }

const nlohmann::json& path_in(const nlohmann::json& report, const std::string& path) {
  for (const auto& row : report.at("paths"))
    if (row.at("path") == path) return row;
  throw std::runtime_error("the report has no path " + path);
}

Array<float> normal(std::vector<std::int64_t> shape, std::uint32_t seed) {
  Uniform uniform(seed);
  std::vector<float> values(static_cast<std::size_t>(elements(shape)));
  for (float& value : values) {
    const double radius = std::sqrt(-2.0 * std::log(uniform.next()));
    value = static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * uniform.next()));
  }
  return {std::move(shape), std::move(values)};
}

Array<std::uint8_t> random_cells(std::vector<std::int64_t> shape, double share, std::uint32_t seed) {
  Uniform uniform(seed);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(elements(shape)));
  for (std::uint8_t& value : values) value = uniform.next() < share;
  return {std::move(shape), std::move(values)};
}

}  // namespace heed::tests
