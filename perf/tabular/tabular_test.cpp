// SPDX-License-Identifier: Apache-2.0
// heed-tabular's parts: how a file becomes a table and what is wrong with others; that train rows stand for themselves
// on every path and thread count; and that the checks notice where something is off.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "argument_error.hpp"
#include "tabular/checks.hpp"
#include "tabular/report.hpp"

namespace heed::perf {
namespace {

class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    const int file = mkstemp(path_.data());
    REQUIRE_GE(file, 0);
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path().string() + "/heed-tabular-XXXXXX";
};

std::string error_of(const std::string& text, const std::string& target = "") {
  const TextFile file(text);
  try {
    read_table(file.path(), target, 1);
  } catch (const ArgumentError& error) {
    return error.message.substr(error.message.find(file.path()) == 0 ? file.path().size() : 0);
  }
  return "no error";
}

constexpr std::int64_t known = 250;

DataTable penguins() { return read_table("perf/tabular/penguins.csv", "species", 3); }

ModelSizes small_sizes() {
  ModelSizes sizes;
  sizes.points = 17;
  return sizes;
}

}  // namespace

TEST_CASE("a file becomes standardised features and numbered classes") {
  const TextFile file("a,kind,b,c\n1,x,red,5\n3,y,blue,5\nNA,x,red,5\n");
  const DataTable table = read_table(file.path(), "kind", 1);
  CHECK_EQ(table.feature_names, std::vector<std::string>{"a", "b", "c"});
  CHECK_EQ(table.class_names, std::vector<std::string>{"x", "y"});
  REQUIRE_EQ(table.rows(), 3);
  int seen = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    const float a = table.values[3 * n], b = table.values[3 * n + 1], c = table.values[3 * n + 2];
    CHECK_EQ(c, 0.0f);  // the same everywhere
    if (table.classes[n] == 1) {
      CHECK_EQ(a, doctest::Approx(1.0));
      CHECK_EQ(b, doctest::Approx(std::sqrt(2.0)));
    } else {
      CHECK_EQ(b, doctest::Approx(-std::sqrt(0.5)));
      seen += a == 0.0f ? 10 : 1;  // missing; or -1
    }
  }
  CHECK_EQ(seen, 11);
}

TEST_CASE("the shipped table is the penguins") {
  const DataTable table = penguins();
  CHECK_EQ(table.rows(), 344);
  CHECK_EQ(table.features(), 6);
  std::vector<std::int64_t> counts;
  for (const char* name : {"Adelie", "Chinstrap", "Gentoo"}) {
    const auto number = std::ranges::find(table.class_names, name) - table.class_names.begin();
    counts.push_back(std::ranges::count(table.classes, number));
  }
  CHECK_EQ(counts, std::vector<std::int64_t>{152, 68, 124});
}

TEST_CASE("files that are no table are told") {
  CHECK_EQ(error_of("a,b\n"), ": expected a line of names and at least one row");
  CHECK_EQ(error_of("a,b\n1,2\n1,2,3\n"), ", line 3: 3 fields, expected 2 as in the first line");
  CHECK_EQ(error_of("a,b\n\"1\",2\n").find(", line 2: quoted fields"), 0);
  CHECK_EQ(error_of("a\n1\n"), ": expected a column beside the classes");
  CHECK_EQ(error_of("a,b\n1,2\nNA,3\n"), ", line 3: the class is missing");
  CHECK_NE(error_of("a,b\n1,2\n", "c").find("--target: 'c' is no column of"), std::string::npos);
  CHECK_THROWS_AS(read_table("/nonexistent/table.csv", "", 1), ArgumentError);
}

TEST_CASE("train rows stand for themselves, on every path and number of threads, with the same bits") {
  const DataTable table = penguins();
  const ModelWeights weights(small_sizes(), table.class_count(), 5);
  for (const std::string& name : available_paths()) {
    const Path path = name == "streaming" ? Path::streaming : name == "onednn" ? Path::onednn : Path::reference;
    CAPTURE(name);
    std::vector<float> bits;
    for (const int threads : {1, 2, 8}) {
      if (path == Path::reference && threads > 1) continue;
      Probe probe({path}, threads, false);
      const Prediction prediction = predict(weights, table, known, probe);
      REQUIRE_EQ(prediction.probabilities.size(), static_cast<std::size_t>((table.rows() - known) * 3));
      for (std::size_t n = 0; n < prediction.probabilities.size(); n += 3)
        CHECK_EQ(prediction.probabilities[n] + prediction.probabilities[n + 1] + prediction.probabilities[n + 2],
                 doctest::Approx(1.0));
      for (const TabularCheck& check : check_rows(weights, table, known, prediction, path, threads)) {
        CAPTURE(check.what);
        CAPTURE(check.found);
        CHECK(check.holds);
      }
      if (bits.empty()) bits = prediction.probabilities;
      CHECK(bits == prediction.probabilities);
    }
  }
}

TEST_CASE("every path agrees with the reference at every call") {
  const DataTable table = penguins();
  const ModelWeights weights(small_sizes(), table.class_count(), 5);
  for (const std::string& name : available_paths()) {
    const Path path = name == "streaming" ? Path::streaming : name == "onednn" ? Path::onednn : Path::reference;
    Probe probe({path, Path::reference}, 2, false);
    predict(weights, table, known, probe);
    CHECK_EQ(probe.calls().size(), 8);
    for (const CallFigures& call : probe.calls()) {
      CAPTURE(call.name);
      CHECK_LE(call.difference, most_difference);
      CHECK_EQ(call.paths.size(), 2);
    }
  }
}

TEST_CASE("checks notice what is off, and NaN") {
  const DataTable table = penguins();
  const ModelWeights weights(small_sizes(), table.class_count(), 5);
  Probe probe({Path::streaming}, 1, false);
  const Prediction right = predict(weights, table, known, probe);
  const auto failures = [&](const Prediction& prediction) {
    const std::vector<TabularCheck> checks = check_rows(weights, table, known, prediction, Path::streaming, 1);
    return std::ranges::count_if(checks, [](const TabularCheck& check) { return !check.holds; });
  };
  CHECK_EQ(failures(right), 0);
  Prediction wrong = right;
  wrong.train_rows[7] = std::nextafter(wrong.train_rows[7], 10.0f);
  CHECK_EQ(failures(wrong), 2);
  wrong.train_rows[7] += 1.0f;
  CHECK_EQ(failures(wrong), 3);
  wrong = right;
  wrong.probabilities.back() += 0.001f;
  CHECK_EQ(failures(wrong), 2);
  wrong.probabilities.back() = std::nanf("");
  CHECK_EQ(failures(wrong), 2);
}

TEST_CASE("a table without test rows has no one to tell") {
  const DataTable table = random_table(20, 3, 1);
  const ModelWeights weights(small_sizes(), table.class_count(), 1);
  Probe probe({Path::streaming}, 1, false);
  const Prediction prediction = predict(weights, table, 20, probe);
  CHECK(prediction.probabilities.empty());
  CHECK_EQ(prediction.train_rows.size(), 20u * 512u);
}

}  // namespace heed::perf
