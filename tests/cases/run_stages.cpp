// SPDX-License-Identifier: Apache-2.0
// What becomes of a case's queries before its call: rotary positions and query scaling, as functions.
#include "cases/run_stages.hpp"

#include <limits>
#include <set>

#include "cases/stored_case.hpp"
#include "heed/rotary.hpp"
#include "support/compare.hpp"

namespace heed::tests {
namespace {

Status turn(const CaseRotation& rotation, const ConstTensor& q, const Tensor& out) {
  const std::vector<double> frequencies(rotation.frequencies.begin(), rotation.frequencies.end());
  const std::size_t cells = frequencies.size() * static_cast<std::size_t>(q.shape[2]);
  std::vector<float> cosines(cells), sines(cells);
  const RotaryTable table{cosines.data(), sines.data(), q.shape[2], 2 * static_cast<std::int64_t>(frequencies.size())};
  if (Status status = fill_rotary_table(table, frequencies); !status.ok()) return status;
  return rotate(q, table, out, {.pairs = rotation.pairs});
}

std::string run(const QueryStage& stage, Storage storage, const std::string& isa) {
  GuardedTensor before(stage.before.shape, storage), after(stage.before.shape, storage);
  before.assign(stage.before.data);
  const Status status =
      stage.rotation ? turn(*stage.rotation, before.tensor(), after.tensor())
                     : scale_queries(before.tensor(), query_scaling(stage.scaling), after.tensor(), {.isa = isa});
  if (!status.ok()) return stage.name + ": " + status.message();
  Comparison comparison(stage.name.c_str());
  std::size_t n = 0;
  for_each_element(after.shape(), [&](auto b, auto h, auto i, auto c) {
    comparison.add({b, h, i, c}, static_cast<double>(after.at(b, h, i, c)), stage.wanted.values.at(n++),
                   stage.wanted.tolerance);
  });
  return comparison.text();
}

}  // namespace

std::vector<std::string> run_stages(const Case& the_case, const std::vector<Way>& ways) {
  std::set<std::string> isas;
  for (const Way& way : ways)
    if (!way.isa.empty()) isas.insert(way.isa);
  std::vector<std::string> failures;
  for (const QueryStage& stage : the_case.stages)
    for (const Storage storage : {Storage::bhnd, Storage::bnhd})
      for (const std::string& isa : isas)
        if (const std::string text = run(stage, storage, isa); !text.empty())
          failures.push_back(the_case.name + ": " + isa + ": " + text);
  return failures;
}

}  // namespace heed::tests
