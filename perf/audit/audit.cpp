// SPDX-License-Identifier: Apache-2.0
// The order of an audit: read, check, run the reference path, run the others, print, write.
#include "audit/audit.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "audit/commands.hpp"
#include "audit/error.hpp"
#include "audit/exit_code.hpp"
#include "audit/output_file.hpp"
#include "audit/page.hpp"
#include "audit/report.hpp"

namespace heed::audit {
namespace {

constexpr Path all_paths[] = {Path::streaming, Path::onednn, Path::reference};

// A call that the library refuses is refused before anything runs, on every path of the build.
void check_call(const Arguments& arguments, const Call& call) {
  const CallView& whole = call.whole();
  const auto strides = [&](const Dims& shape) { return call.storage().strides(shape[1], shape[2], shape[3]); };
  Options options = whole.options;
  options.path = arguments.path;
  options.lse = Tensor{nullptr, whole.lse_shape, strides(whole.lse_shape)};
  std::size_t bytes = 0;
  const Tensor out{nullptr, whole.out_shape, strides(whole.out_shape)};
  if (const Status status = scratch_size(whole.q, whole.k, whole.v, out, options, bytes); !status.ok())
    refuse(status, arguments);
}

// Before any work: every output can be opened, and none is an input or another output.
void check_outputs(const Arguments& arguments) {
  const FileArgument* outputs[] = {&arguments.out,  &arguments.lse,  &arguments.weights,
                                   &arguments.json, &arguments.html, &arguments.svg};
  std::vector<const FileArgument*> others = {&arguments.q,
                                             &arguments.k,
                                             &arguments.v,
                                             &arguments.key_allowed,
                                             &arguments.bias,
                                             &arguments.lengths,
                                             &arguments.expect,
                                             &arguments.key_blocked,
                                             &arguments.mask_allowed,
                                             &arguments.mask_blocked,
                                             &arguments.expect_lse,
                                             &arguments.row_labels,
                                             &arguments.key_labels};
  for (const FileArgument* output : outputs) {
    if (!*output) continue;
    for (const FileArgument* other : others)
      if (*other && is_same_file(output->path, other->path))
        throw Error(output->name() + ": is the file of " + other->option + " too");
    require_writable(*output);
    others.push_back(output);
  }
}

void write_outputs(const Arguments& arguments, const Call& call, const Outputs& outputs) {
  const auto write = [&](const FileArgument& file, const Dims& shape, const std::vector<float>& values) {
    if (file) write_npy(file.path, file.name(), NpyType::float32, call.storage().file_shape(shape), values.data());
  };
  write(arguments.out, call.whole().out_shape, outputs.out);
  write(arguments.lse, call.whole().lse_shape, outputs.lse);
  write(arguments.weights, call.whole().weights_shape, outputs.weights);
}

bool is_in_build(Path path) {
  for (const std::string& name : available_paths())
    if (name == path_name(path)) return true;
  return false;
}

// In the library's own words.
std::string why_absent(const Call& call, Path path) {
  const CallView& whole = call.whole();
  Options options = whole.options;
  options.path = path;
  Explanation unused;
  const Dims& shape = whole.out_shape;
  const Tensor out{nullptr, shape, call.storage().strides(shape[1], shape[2], shape[3])};
  return explain(whole.q, whole.k, whole.v, out, options, unused).message();
}

// Runs every path, the reference first; the rows stand in the order of available_paths().
Report run_paths(const Arguments& arguments, const Call& call, const AllRowFacts& facts, Outputs& chosen) {
  const PathRunner runner(call, facts);
  const bool keeps_weights = arguments.weights || (arguments.shows_weights() && !runner.samples_weights());
  const auto run = [&](Path path, const Outputs* reference, Outputs& outputs) {
    return runner.run(path, reference, keeps_weights && path == arguments.path, outputs);
  };
  Outputs reference;
  const PathReport of_reference = run(Path::reference, nullptr, reference);
  if (!of_reference.has_run) throw Error("reference path: " + of_reference.failures.front());
  Report report;
  for (const Path path : all_paths) {
    if (path == Path::reference) continue;
    if (!is_in_build(path)) {
      report.absent.push_back({path_name(path), why_absent(call, path)});
      continue;
    }
    Outputs outputs;
    report.paths.push_back(run(path, &reference, outputs));
    if (path == arguments.path) chosen = std::move(outputs);
  }
  report.paths.push_back(of_reference);
  report.notes = call.notes();
  const auto strange =
      std::count_if(reference.out.begin(), reference.out.end(), [](float value) { return !std::isfinite(value); });
  if (strange > 0)
    report.notes.push_back("reference path: " + std::to_string(strange) + " elements of out are NaN or infinite");
  if (arguments.path == Path::reference) chosen = std::move(reference);
  if (runner.samples_weights())
    report.notes.push_back(
        "all weights together would take more than 1 GiB: row sums and hidden weights are checked "
        "on sampled blocks of rows");
  return report;
}

// What of the weights is to be shown; nothing where the call has none and they were not asked for.
std::optional<Shown> selected(const Arguments& arguments, const Call& call) {
  const bool has_weights = call.sizes().rows() > 0 && call.sizes().kv_len > 0;
  if (arguments.svg && !has_weights) throw Error(arguments.svg.name() + ": the call has no weights to draw");
  if (!arguments.shows_weights() || (!has_weights && !arguments.prints_weights())) return {};
  return select(arguments, call);
}

void write_pages(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report,
                 const Shown* shown) {
  if (arguments.json) write_text(arguments.json, to_json(arguments, call, facts, report, shown));
  if (arguments.html) write_text(arguments.html, audit_page(arguments, call, facts, report, shown));
  if (arguments.svg && shown != nullptr) write_text(arguments.svg, picture_file(*shown));
}

int audit(const Arguments& arguments, std::ostream& out) {
  const Call call(arguments);
  check_call(arguments, call);
  std::optional<Shown> shown = selected(arguments, call);
  check_outputs(arguments);
  const AllRowFacts facts(call, arguments.threads);
  Outputs chosen;
  const Report report = run_paths(arguments, call, facts, chosen);
  print_table(out, call, facts, report);
  for (const PathReport& path : report.paths) {
    if (path.path != path_name(arguments.path) || !path.has_run) continue;
    write_outputs(arguments, call, chosen);
    if (!shown) continue;
    if (const Status status = fill(call, arguments.path, chosen.weights, *shown); !status.ok())
      throw Error(shown->path + " path: " + status.message());
  }
  const bool is_filled = shown && !shown->weights.empty();
  if (is_filled && arguments.prints_weights()) print_shown(out, *shown);
  write_pages(arguments, call, facts, report, is_filled ? &*shown : nullptr);
  return report.is_ok() ? exit_ok : exit_verdict;
}

}  // namespace

int run_audit(int argc, const char* const* argv, std::ostream& out, std::ostream& err) noexcept try {
  int exit_code = exit_error;
  if (const auto status = run_command(argc, argv, out, err)) return *status;
  const auto arguments = parse_arguments(argc, argv, out, err, exit_code);
  return arguments ? audit(*arguments, out) : exit_code;
} catch (const std::bad_alloc&) {
  err << "heed-audit: out of memory\n";
  return exit_error;
} catch (const std::exception& error) {
  err << "heed-audit: " << error.what() << '\n';
  return exit_error;
}

}  // namespace heed::audit
