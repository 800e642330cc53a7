// SPDX-License-Identifier: Apache-2.0
// heed-sweep's parts in one process: presets, arguments, rows as text. sweep_test.sh runs the program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include "flush.hpp"
#include "sweep/arguments.hpp"
#include "sweep/measure.hpp"
#include "sweep/presets.hpp"
#include "sweep/report.hpp"
#include "timer.hpp"

namespace heed::perf {
namespace {

std::string error_of(const SweepArguments& arguments) {
  try {
    groups_of(arguments);
    settings_of(arguments);
  } catch (const ArgumentError& error) {
    return error.message;
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::ptrdiff_t commas(const std::string& line) { return std::count(line.begin(), line.end(), ','); }

Row measured_row() {
  Row row;
  row.preset = "square";
  row.spec = "b=1 h=1:1 n=2:2 d=4:4";
  row.path = "streaming";
  row.isa = "avx2";
  row.threads = 2;
  row.median_us = 12.5;
  row.spread_pct = 3.25;
  row.gflops = 100.0;
  row.peak_pct = 80.0;
  row.gbytes_s = 1.5;
  row.bandwidth_pct = 10.0;
  row.roofline_pct = 81.0;
  row.max_err = 2.5e-7;
  row.status = "ok";
  row.storage = "bhnd";
  row.is_cold = true;
  row.samples = 7;
  row.ratio = 0.5;
  row.flops_per_byte = 12.5;
  row.peak_gflops = 125.0;
  row.read_gbytes_s = 20.0;
  row.copy_gbytes_s = 15.0;
  row.instructions_per_cycle = 5.9;
  row.is_measured = true;
  return row;
}

}  // namespace

TEST_CASE("every preset has a name of its own, a spec that parses, and its base right before its rows") {
  const char* base = nullptr;
  for (const Preset& preset : presets) {
    CAPTURE(preset.name);
    Spec spec;
    CHECK(parse_spec(preset.spec, spec) == "");
    CHECK(to_text(spec) == preset.spec);
    const auto same_name = [&](const Preset& other) { return std::string(other.name) == preset.name; };
    CHECK(std::count_if(std::begin(presets), std::end(presets), same_name) == 1);
    if (preset.base == nullptr) {
      base = preset.name;
    } else {
      REQUIRE(base != nullptr);
      CHECK(std::string(preset.base) == base);
    }
  }
}

TEST_CASE("a spec with a mistake is refused by the token that holds it") {
  Spec spec;
  CHECK(contains(parse_spec("b=1 h=1:1 n=2 d=4:4", spec), "'n=2'"));
  CHECK(contains(parse_spec("b=1 h=1:1 n=-2:2 d=4:4", spec), "'n=-2:2'"));
  CHECK(contains(parse_spec("b=1 h=1:1 n=2:2 d=4:4 causal=1", spec), "'causal=1'"));
  CHECK(contains(parse_spec("b=1 h=1:1 n=2:2 d=4:4 casual", spec), "'casual'"));
  CHECK(contains(parse_spec("b=1 h=1:1 n=2:2 d=4:4 lse lse", spec), "each token once"));
  CHECK(contains(parse_spec("b=1 h=1:1 n=2:2 d=4:4 mask=1:1:2:2", spec), "'mask=1:1:2:2'"));
  CHECK(contains(parse_spec("b=1 n=2:2 h=1:1 d=4:4", spec), "'n=2:2'"));
  CHECK(contains(parse_spec("b=1 h=1:1", spec), "ends early"));
  CHECK(contains(parse_spec("", spec), "ends early"));
}

TEST_CASE("a spec with every token survives being printed and read") {
  const std::string text =
      "b=2 h=8:2 n=100:1000 d=64:32 scale=0.1 cap=30 bias=1:8:100:1000 slopes sinks key_mask=allowed lengths "
      "mask=blocked:1:1:100:1000 position=-7 causal window=2:0 lse weights q=bnhd k=0:64:-512:1 v=bnhd out=bnhd seed=7 "
      "fill=large hidden=25 bias_hidden=5 key_hidden=30";
  Spec spec;
  CHECK(parse_spec(text, spec) == "");
  CHECK(to_text(spec) == text);
}

TEST_CASE("a seed fills the same numbers whatever the storage, and other seeds others") {
  Spec spec;
  REQUIRE(parse_spec("b=2 h=3:3 n=5:5 d=4:4", spec) == "");
  const Workload plain(spec);
  spec.q.order = Storage::Order::bnhd;
  const Workload turned(spec);
  spec.seed = 2;
  const Workload other(spec);
  const auto q_at = [](const Workload& workload, std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t c) {
    const Dims& strides = workload.q.strides;
    return static_cast<const float*>(
        workload.q.data)[b * strides[0] + h * strides[1] + n * strides[2] + c * strides[3]];
  };
  CHECK(q_at(plain, 1, 2, 3, 0) == q_at(turned, 1, 2, 3, 0));
  CHECK(q_at(plain, 0, 1, 4, 3) == q_at(turned, 0, 1, 4, 3));
  CHECK(q_at(turned, 1, 2, 3, 0) != q_at(other, 1, 2, 3, 0));
}

TEST_CASE("names that do not exist are refused by argument") {
  SweepArguments arguments;
  arguments.presets = {"square-d64-n1024", "nope"};
  CHECK(contains(error_of(arguments), "--preset: 'nope'"));
  arguments = {};
  arguments.specs = {"b=1"};
  CHECK(contains(error_of(arguments), "spec: 'b=1'"));
  arguments = {};
  arguments.paths = {"fast"};
  CHECK(contains(error_of(arguments), "--path: 'fast'"));
  arguments = {};
  arguments.isas = {"sse9"};
  CHECK(contains(error_of(arguments), "isa: 'sse9'"));
  CHECK(error_of({}) == "");
}

TEST_CASE("a preset that is compared brings its base along") {
  SweepArguments arguments;
  arguments.presets = {"causal-d64-n2048"};
  const auto groups = groups_of(arguments);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].size() == 2);
  CHECK(groups[0][0].preset == "square-d64-n2048");
  CHECK(groups[0][1].base == "square-d64-n2048");
}

TEST_CASE("a CSV line has the header's columns, measured or not") {
  CHECK(csv_header() ==
        "preset,spec,path,isa,threads,median_us,spread_pct,gflops,peak_pct,gbytes_s,bandwidth_pct,roofline_pct,max_err,"
        "status,storage,cache,samples,ratio,to_first,flops_per_byte,peak_gflops,read_gbytes_s,copy_gbytes_s,"
        "instructions_per_cycle");
  Row row = measured_row();
  CHECK(csv_line(row) ==
        "square,b=1 h=1:1 n=2:2 d=4:4,streaming,avx2,2,12.500,3.2,100.00,80.0,1.50,10.0,81.0,2.5e-07,ok,bhnd,cold,7,"
        "0.500,,12.5,125.00,20.00,15.00,5.90");
  row.is_measured = false;
  row.status = "refused";
  CHECK(commas(csv_line(row)) == commas(csv_header()));
  row.status = "k: dimension 1 is \"2\", expected 3";
  CHECK(contains(csv_line(row), ",\"k: dimension 1 is \"\"2\"\", expected 3\""));
}

TEST_CASE("JSON has the CSV's columns, as numbers where they are numbers") {
  Row row = measured_row();
  row.max_err = std::numeric_limits<double>::infinity();
  const auto json = row_json(row);
  CHECK(commas(csv_header()) + 1 == static_cast<std::ptrdiff_t>(json.size()));
  CHECK(json["preset"] == "square");
  CHECK(json["threads"] == 2);
  CHECK(json["samples"] == 7);
  CHECK(json["median_us"] == 12.5);
  CHECK(json["to_first"].is_null());
  CHECK(json["max_err"] == "Infinity");
}

TEST_CASE("counts of threads are numbers or all, each once") {
  SweepArguments arguments;
  arguments.threads = {"2", "1", "2"};
  const auto settings = settings_of(arguments);
  REQUIRE(settings.size() == 2);
  CHECK(settings[0].threads == 2);
  CHECK(settings[1].threads == 1);
  arguments.threads = {"all", std::to_string(std::max(1u, std::thread::hardware_concurrency()))};
  CHECK(settings_of(arguments).size() == 1);
  for (const char* wrong : {"0", "two", "4097", "-1", "1x", ""}) {
    arguments.threads = {wrong};
    CHECK(contains(error_of(arguments), std::string("--threads: '") + wrong + "'"));
  }
}

TEST_CASE("cold calls are prepared one by one, and the preparation does not count") {
  Sampler sampler;
  int prepared = 0, called = 0;
  const auto sleep = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  sampler.take_prepared_turn([&] { sleep(20), ++prepared; }, [&] { sleep(1), ++called; }, 0.05);
  CHECK(prepared == called);
  CHECK(static_cast<std::size_t>(called) == sampler.samples());
  CHECK(sampler.median_seconds() < 0.019);
}

TEST_CASE("flushed memory keeps what it holds") {
  std::vector<int> numbers(1000);
  for (std::size_t index = 0; index < numbers.size(); ++index) numbers[index] = static_cast<int>(index);
  flush_from_caches(numbers.data() + 3, 900 * sizeof(int));
  CHECK(std::accumulate(numbers.begin(), numbers.end(), 0) == 499500);
}

TEST_CASE("tensors that move keep their numbers") {
  Subject subject;
  REQUIRE(parse_spec("b=1 h=2:2 n=9:33 d=16:16", subject.spec) == "");
  prepare(subject, false);
  const void* before = subject.workload->q.data;
  move_in_memory(subject);
  CHECK(subject.workload->q.data != before);
  CHECK(subject.twin == nullptr);
  const Workload& workload = *subject.workload;
  REQUIRE(attention(workload.q, workload.k, workload.v, workload.out, workload.options).ok());
  CHECK(compare(workload, subject.answer).holds());
}

TEST_CASE("a cold group is measured, on a twin of its own, and its rows say so") {
  std::vector<Subject> group;
  Subject& subject = group.emplace_back();
  subject.preset = "small";
  REQUIRE(parse_spec("b=2 h=4:2 n=9:33 d=16:16 key_mask=blocked", subject.spec) == "");
  prepare(subject, true);
  REQUIRE(subject.twin != nullptr);
  CHECK(subject.twin->q.data != subject.workload->q.data);
  Setting setting;
  setting.isa = available_isas().front();
  setting.min_seconds = 0.0;
  setting.is_cold = true;
  const auto rows = measure_group(group, {setting}, {1e10, 2e10, 1.5e10});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].is_measured);
  CHECK_FALSE(rows[0].is_failed);
  CHECK(contains(csv_line(rows[0]), ",bhnd,cold,"));
  CHECK(rows[0].read_gbytes_s == doctest::Approx(20.0));
  CHECK(rows[0].copy_gbytes_s == doctest::Approx(15.0));
}

TEST_CASE("an output that differs from the reference is wrong, and a NaN is") {
  Spec spec;
  REQUIRE(parse_spec("b=1 h=2:2 n=9:9 d=4:4 causal", spec) == "");
  Workload workload(spec);
  Answer answer;
  REQUIRE(reference_answer(workload, 100, sample_seed, answer).ok());
  CHECK(answer.rows.size() == 18);
  CHECK_FALSE(answer.is_sample);
  CHECK_FALSE(compare(workload, answer).holds());  // outputs start as NaN
  REQUIRE(attention(workload.q, workload.k, workload.v, workload.out, workload.options).ok());
  CHECK(compare(workload, answer).holds());
  static_cast<float*>(workload.out.data)[20] += 1e-4f;
  CHECK_FALSE(compare(workload, answer).holds());
  CHECK(cost_of(workload).visible_pairs == 2 * 45);
}

TEST_CASE("a sample of rows holds the first and the last") {
  Spec spec;
  REQUIRE(parse_spec("b=2 h=2:1 n=50:9 d=4:4", spec) == "");
  const Workload workload(spec);
  Answer answer;
  REQUIRE(reference_answer(workload, 10, sample_seed, answer).ok());
  CHECK(answer.is_sample);
  REQUIRE(answer.rows.size() == 10);
  CHECK(answer.rows.front().i == 0);
  CHECK(answer.rows.back().i == 49);
  CHECK(answer.rows.back().b == 1);
}

}  // namespace heed::perf
