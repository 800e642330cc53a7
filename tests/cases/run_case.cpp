// SPDX-License-Identifier: Apache-2.0
#include "cases/run_case.hpp"

#include <cmath>

#include "cases/run_model.hpp"
#include "cases/run_stages.hpp"
#include "cases/stored_case.hpp"
#include "support/compare.hpp"
#include "support/oracle.hpp"

namespace heed::tests {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// How one run is done; also its name in a message.
struct Run {
  Way way;
  int threads = 1;
  Storage storage = Storage::bhnd;
  bool with_weights = false;
  bool reads_classes = false;
  std::string text() const {
    return way.text() + ", threads " + std::to_string(threads) + (storage == Storage::bhnd ? ", bhnd" : ", bnhd") +
           (with_weights ? ", with weights" : "") + (reads_classes ? ", classes" : "");
  }
};

// Outputs of one run, NaN before it. bhnd ends at an unmapped page, bnhd begins at one.
struct Outputs {
  GuardedTensor out, lse, weights;
  std::string problem;  // not empty: the call failed, or wrote where it must not
};

Outputs run(const CaseCall& call, const Run& how) {
  const Edge edge = how.storage == Storage::bhnd ? Edge::end : Edge::begin;
  const Dims& rows = call.q.shape;
  Outputs outputs;
  outputs.out = GuardedTensor({rows[0], rows[1], rows[2], call.v.shape[3]}, how.storage, edge);
  outputs.lse = GuardedTensor({rows[0], rows[1], rows[2], 1}, how.storage, edge);
  if (how.with_weights)
    outputs.weights = GuardedTensor({rows[0], rows[1], rows[2], call.k.shape[2]}, how.storage, edge);
  Options options = call.options;
  options.path = how.way.path;
  options.isa = how.way.isa;
  options.threads = how.threads;
  options.lse = outputs.lse.tensor();
  if (how.with_weights) options.weights = outputs.weights.tensor();

  std::size_t bytes = 0;
  const Tensor out = outputs.out.tensor();
  Status status = how.reads_classes ? scratch_size_classes(call.q, call.k, call.classes, out, options, bytes)
                                    : scratch_size(call.q, call.k, call.v, out, options, bytes);
  const GuardedBuffer<std::byte> scratch(bytes, edge);
  options.scratch = scratch.values();
  if (status.ok())
    status = how.reads_classes ? attention_classes(call.q, call.k, call.classes, out, options)
                               : attention(call.q, call.k, call.v, out, options);
  if (!status.ok())
    outputs.problem = std::string("the call failed: ") + status.message();
  else if (!outputs.out.is_outside_untouched() || !outputs.lse.is_outside_untouched() ||
           (how.with_weights && !outputs.weights.is_outside_untouched()) || !scratch.is_slack_untouched())
    outputs.problem = "memory outside the outputs was written";
  return outputs;
}

void add_wanted(Comparison& comparison, const Wanted& wanted, std::size_t n, const Place& place, double got) {
  if (wanted.low.empty()) return comparison.add(place, got, wanted.values[n], wanted.tolerance);
  const bool is_inside = got >= wanted.low[n] && got <= wanted.high[n];
  comparison.add(place, got, is_inside ? got : wanted.values[n], 0.0);
}

std::string compare(const char* what, const GuardedTensor& got, const Wanted& wanted) {
  Comparison comparison(what);
  if (wanted.values.empty() && element_count(got.shape()) > 0) return "";
  if (static_cast<std::int64_t>(wanted.values.size()) != element_count(got.shape()))
    return std::string(what) + ": the case has " + std::to_string(wanted.values.size()) + " values, the result " +
           std::to_string(element_count(got.shape()));
  std::size_t n = 0;
  for_each_element(got.shape(), [&](auto b, auto h, auto i, auto c) {
    add_wanted(comparison, wanted, n++, {b, h, i, c}, static_cast<double>(got.at(b, h, i, c)));
  });
  return comparison.text();
}

std::string compare_row_sums(const GuardedTensor& weights, const Wanted& wanted) {
  if (wanted.values.empty()) return "";
  Comparison comparison("row_sum");
  const Dims& shape = weights.shape();
  std::size_t n = 0;
  for_each_element({shape[0], shape[1], shape[2], 1}, [&](auto b, auto h, auto i, auto) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < shape[3]; ++j) sum += static_cast<double>(weights.at(b, h, i, j));
    add_wanted(comparison, wanted, n++, {b, h, i, 0}, sum);
  });
  return comparison.text();
}

// What is exact whatever a case's tolerance: hidden weights, and rows that see nothing.
std::string check_exact_zeros(const CaseCall& call, const Outputs& outputs, bool with_weights) {
  const Oracle oracle(call.q, call.k, call.v, call.options);
  Comparison weights("weight of a hidden key"), out("out of a row that sees nothing"),
      lse("lse of a row that sees nothing");
  const Dims& rows = call.q.shape;
  for_each_element({rows[0], rows[1], rows[2], 1}, [&](auto b, auto h, auto i, auto) {
    bool sees_nothing = true;
    if (std::isnan(outputs.lse.at(b, h, i, 0))) return;  // a row that NaN reached is NaN throughout
    for (std::int64_t j = 0; j < call.k.shape[2]; ++j) {
      if (oracle.is_visible(b, h, i, j))
        sees_nothing = false;
      else if (with_weights)
        weights.add({b, h, i, j}, static_cast<double>(outputs.weights.at(b, h, i, j)), 0.0, 0.0);
    }
    if (!sees_nothing) return;
    for (std::int64_t c = 0; c < call.v.shape[3]; ++c)
      out.add({b, h, i, c}, static_cast<double>(outputs.out.at(b, h, i, c)), 0.0, 0.0);
    const double sink = call.options.sinks.empty()
                            ? minus_infinity
                            : static_cast<double>(call.options.sinks[static_cast<std::size_t>(h)]);
    lse.add({b, h, i, 0}, static_cast<double>(outputs.lse.at(b, h, i, 0)), sink, 0.0);
  });
  return weights.text() + out.text() + lse.text();
}

// Collects the failures of one case.
class Report {
 public:
  explicit Report(const Case& the_case) : name_(the_case.name) {}
  void add(const Run& how, const std::string& text) {
    if (!text.empty()) failures.push_back(name_ + ": " + how.text() + ": " + text);
  }
  std::vector<std::string> failures;

 private:
  std::string name_;
};

void check(const Case& the_case, const CaseCall& call, const Run& how, const Outputs& outputs, Report& report) {
  report.add(how, outputs.problem);
  if (!outputs.problem.empty()) return;
  report.add(how, compare("out", outputs.out, the_case.out));
  report.add(how, compare("lse", outputs.lse, the_case.lse));
  if (how.with_weights) {
    report.add(how, compare("weights", outputs.weights, the_case.weights));
    report.add(how, compare_row_sums(outputs.weights, the_case.row_sum));
  }
  report.add(how, check_exact_zeros(call, outputs, how.with_weights));
}

// ln(weight) + lse is the score; a hidden key has minus infinity.
void check_score(const Case& the_case, const StoredCase& stored, Run how, Report& report) {
  if (!the_case.score) return;
  const WantedScore& wanted = *the_case.score;
  CaseCall call;
  stored.prepare({0, the_case.kv_len}, call);
  if (!wanted.keeps_soft_cap) call.options.soft_cap = 0.0f;
  if (!wanted.keeps_bias_and_masks) {
    call.options.bias.reset();
    call.options.mask.reset();
    call.options.key_mask.reset();
    call.options.lengths = {};
    call.options.causal = false;
    call.options.window = {};
  }
  how.with_weights = true;
  const Outputs outputs = run(call, how);
  report.add(how, outputs.problem);
  if (!outputs.problem.empty()) return;
  Comparison comparison("ln(weight) + lse");
  std::size_t n = 0;
  for_each_element(outputs.weights.shape(), [&](auto b, auto h, auto i, auto j) {
    const double weight = static_cast<double>(outputs.weights.at(b, h, i, j));
    comparison.add({b, h, i, j}, std::log(weight) + static_cast<double>(outputs.lse.at(b, h, i, 0)),
                   wanted.values.at(n++), wanted.tolerance);
  });
  report.add(how, comparison.text());
}

// The parts' (out, lse), each weighed by exp(lse): (0, minus infinity) adds nothing.
void check_parts(const Case& the_case, const StoredCase& stored, const Run& how, Report& report) {
  if (the_case.parts.empty()) return;
  const auto rows =
      static_cast<std::size_t>(element_count({the_case.batch(), the_case.q_heads(), the_case.q_len(), 1}));
  const auto value_dim = static_cast<std::size_t>(the_case.v.shape[3]);
  std::vector<double> lse(rows, minus_infinity), out(rows * value_dim, 0.0);
  for (const Part& part : the_case.parts) {
    CaseCall call;
    stored.prepare({part.begin, part.end}, call);
    const Outputs outputs = run(call, how);
    report.add(how, outputs.problem);
    if (!outputs.problem.empty()) return;
    report.add(how, compare("out of a part", outputs.out, part.out));
    report.add(how, compare("lse of a part", outputs.lse, part.lse));
    const std::vector<float> part_lse = outputs.lse.values(), part_out = outputs.out.values();
    for (std::size_t row = 0; row < rows; ++row) {
      const auto added = static_cast<double>(part_lse[row]);
      if (added == minus_infinity) continue;
      const double high = std::max(lse[row], added);
      const double merged = high + std::log(std::exp(lse[row] - high) + std::exp(added - high));
      for (std::size_t c = row * value_dim; c < (row + 1) * value_dim; ++c)
        out[c] = out[c] * std::exp(lse[row] - merged) + static_cast<double>(part_out[c]) * std::exp(added - merged);
      lse[row] = merged;
    }
  }
  const auto check = [&](const char* what, const std::vector<double>& got, const Wanted& wanted) {
    if (wanted.values.empty()) return;
    Comparison comparison(what);
    for (std::size_t n = 0; n < got.size(); ++n)
      comparison.add({0, 0, static_cast<std::int64_t>(n), 0}, got[n], wanted.values.at(n), wanted.tolerance);
    report.add(how, comparison.text());
  };
  check("out merged from parts", out, the_case.out);
  check("lse merged from parts", lse, the_case.lse);
}

void check_error(const Case& the_case, const StoredCase& stored, const Run& how, Report& report) {
  if (the_case.wanted_error.empty()) return;
  CaseCall call;
  stored.prepare({0, the_case.k.shape[2]}, call);
  const Outputs outputs = run(call, how);
  if (outputs.problem.find(the_case.wanted_error) == std::string::npos)
    report.add(how, "wanted an error with '" + the_case.wanted_error + "', got '" + outputs.problem + "'");
}

void check_hidden_nan(const Case& the_case, const std::vector<float>& wanted, const Run& how, Report& report) {
  StoredCase stored(the_case, how.storage);
  if (stored.poison_hidden_keys() == 0) return;
  CaseCall call;
  stored.prepare({0, the_case.kv_len}, call);
  const Outputs outputs = run(call, how);
  report.add(how, outputs.problem);
  if (!outputs.problem.empty()) return;
  report.add(
      how, first_difference("out with NaN in hidden K and V", outputs.out.values(), wanted, run_to_run(how.way.path)));
}

}  // namespace

std::vector<std::string> run_case(const Case& the_case, const Selection& selection) {
  if (the_case.model) return run_model(the_case.name, *the_case.model, selection);
  Report report(the_case);
  for (const Way& way : selection.ways) {
    std::vector<float> first;  // the bits of every run of this way
    for (const Storage storage : {Storage::bhnd, Storage::bnhd}) {
      const StoredCase stored(the_case, storage);
      CaseCall call;
      stored.prepare({0, the_case.kv_len}, call);
      for (const int threads : selection.threads) {
        for (const bool with_weights : {false, true}) {
          Run how{way, threads, storage, with_weights};
          const Outputs outputs = run(call, how);
          check(the_case, call, how, outputs, report);
          how.reads_classes = !the_case.classes.empty() && way.path != Path::onednn;
          if (how.reads_classes) check(the_case, call, how, run(call, how), report);
          if (!outputs.problem.empty()) continue;
          if (first.empty()) first = outputs.out.values();
          report.add(how, first_difference("out", outputs.out.values(), first, run_to_run(way.path)));
        }
      }
      const Run how{way, selection.threads.front(), storage};
      check_score(the_case, stored, how, report);
      check_parts(the_case, stored, how, report);
      check_error(the_case, stored, how, report);
      if (!first.empty()) check_hidden_nan(the_case, first, how, report);
    }
  }
  const std::vector<std::string> stages = run_stages(the_case, selection.ways);
  report.failures.insert(report.failures.end(), stages.begin(), stages.end());
  return report.failures;
}

}  // namespace heed::tests
