// SPDX-License-Identifier: Apache-2.0
// See audit_run.hpp.
#include "audit_run.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "audit/audit.hpp"
#include "random_numbers.hpp"

namespace heed::tests {
namespace {

std::int64_t elements(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

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

std::string refusal(const Arguments& arguments) {
  const AuditRun run = run_audit(arguments);
  CHECK(run.status == audit::exit_error);
  CHECK(run.out.empty());
  CHECK(run.err.starts_with("heed-audit: "));
  CHECK(run.err.find('\n') == run.err.size() - 1);
  return run.err;
}

bool says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  MESSAGE("'" << text << "' does not say '" << part << "'");
  return false;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "heed-audit-").string() + std::string(6, 'X');
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
  perf::Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(elements(shape)));
  for (float& value : values) value = random.normal();
  return {std::move(shape), std::move(values)};
}

Array<std::uint8_t> random_cells(std::vector<std::int64_t> shape, double share, std::uint32_t seed) {
  perf::Random random(seed);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(elements(shape)));
  for (std::uint8_t& value : values) value = random.chance(share);
  return {std::move(shape), std::move(values)};
}

}  // namespace heed::tests
