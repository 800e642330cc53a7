// SPDX-License-Identifier: Apache-2.0
// The list of ISAs: each table is what its row says, and names select them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "dispatch/kernel_registry.hpp"
#include "heed/attention.hpp"
#include "support/for_each_isa.hpp"

namespace heed::tests {
namespace {

// Sets an environment variable for a scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (had_)
      setenv(name_, old_.c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

struct Small {
  float q[8] = {}, k[8] = {}, v[8] = {}, out[8] = {};
  Status explain(const Options& options, Explanation& explanation) {
    return heed::explain(bhnd(q, 1, 1, 2, 4), bhnd(k, 1, 1, 2, 4), bhnd(v, 1, 1, 2, 4), bhnd(out, 1, 1, 2, 4), options,
                         explanation);
  }
  Status attend(const Options& options) {
    return attention(bhnd(q, 1, 1, 2, 4), bhnd(k, 1, 1, 2, 4), bhnd(v, 1, 1, 2, 4), bhnd(out, 1, 1, 2, 4), options);
  }
};

}  // namespace

TEST_CASE("each table was compiled for the ISA of its row, and baseline and the last row run everywhere") {
  std::set<std::string> names;
  for (const IsaRow& row : built_isas()) {
    CAPTURE(std::string(row.name));
    CHECK_EQ(std::string(isa_name(row.kernels->isa)), row.name);
    CHECK(names.insert(row.name).second);
    CHECK_EQ(find_isa(row.name), &row);
    CHECK(row.kernels->lanes >= 4);
    CHECK_EQ(row.kernels->max_rows % row.kernels->lanes, 0u);
    CHECK(static_cast<bool>(row.kernels->attend[static_cast<int>(DType::f32)]));
    CHECK(static_cast<bool>(row.kernels->parts.exp));
    CHECK(static_cast<bool>(row.kernels->parts.tanh));
  }
  REQUIRE(find_isa("baseline") != nullptr);
  CHECK(find_isa("baseline")->runs_here());
  CHECK(built_isas().back().runs_here());
  CHECK_EQ(find_isa("sse9"), nullptr);
}

TEST_CASE("available_isas() lists what is built and runs here, best first") {
  const std::vector<std::string> names = available_isas();
  REQUIRE_FALSE(names.empty());
  CHECK_EQ(names.front(), best_isa().name);
  for (const std::string& name : names) CHECK(find_isa(name)->runs_here());
}

TEST_CASE("an ISA is forced by the call") {
  for_each_isa([](const std::string& isa) {
    Small call;
    Options options;
    options.isa = isa;
    Explanation explanation;
    REQUIRE(call.explain(options, explanation).ok());
    CHECK_EQ(explanation.isa, isa);
    CHECK(call.attend(options).ok());
  });
}

TEST_CASE("an ISA is forced by HEED_ISA, and the call goes before it") {
  for (const std::string& isa : available_isas()) {
    const Environment environment("HEED_ISA", isa.c_str());
    Small call;
    Explanation explanation;
    REQUIRE(call.explain({}, explanation).ok());
    CHECK_EQ(explanation.isa, isa);
    Options options;
    options.isa = "baseline";
    REQUIRE(call.explain(options, explanation).ok());
    CHECK_EQ(explanation.isa, "baseline");
  }
}

TEST_CASE("an unknown name is an error that lists the valid ones, and nothing is written") {
  Small call;
  call.out[0] = 42.0f;
  Options options;
  options.isa = "sse9";
  const Status by_call = call.attend(options);
  CHECK_EQ(by_call.code(), StatusCode::unknown_name);
  const Environment environment("HEED_ISA", "vax");
  const Status by_environment = call.attend({});
  CHECK_EQ(by_environment.code(), StatusCode::unknown_name);
  CHECK_NE(std::string(by_environment.message()).find("HEED_ISA"), std::string::npos);
  for (const std::string& isa : available_isas()) {
    CHECK_NE(std::string(by_call.message()).find(isa), std::string::npos);
    CHECK_NE(std::string(by_environment.message()).find(isa), std::string::npos);
  }
  CHECK_EQ(call.out[0], 42.0f);
}

TEST_CASE("a path is named by HEED_PATH, and an unknown one is an error") {
  Small call;
  Explanation explanation;
  {
    const Environment environment("HEED_PATH", "reference");
    REQUIRE(call.explain({}, explanation).ok());
    CHECK_EQ(explanation.path, Path::reference);
  }
  const Environment environment("HEED_PATH", "fastest");
  CHECK_EQ(call.attend({}).code(), StatusCode::unknown_name);
}

}  // namespace heed::tests
