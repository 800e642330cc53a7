// SPDX-License-Identifier: Apache-2.0
// Chooses path, ISA, tiles, threads and scratch.
#include "plan/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "dispatch/kernel_registry.hpp"
#include "status.hpp"

namespace heed {
namespace {

// Writes the reasons in order; there is room for every path and ISA, and for threads.
class Reasons {
 public:
  explicit Reasons(Plan& plan) : plan_(plan) {}
  void add(const char* name, const char* why) {
    if (count_ < plan_.reasons.size()) plan_.reasons[count_++] = {name, why};
  }

 private:
  Plan& plan_;
  std::size_t count_ = 0;
};

Status choose_path(const Problem& problem, const Options& options, const Machine& machine, Plan& plan,
                   Reasons& reasons) {
  Path path = options.path;
  const char* asked = "another path was asked for";
  if (path == Path::automatic) {
    path = Path::streaming;
    asked = "streaming is faster on every shape measured";
    if (machine.path_override != nullptr) {
      const std::string_view name = machine.path_override;
      for (const Path known : {Path::streaming, Path::onednn, Path::reference})
        if (name == path_name(known)) path = known, asked = "HEED_PATH names another path";
      if (name != path_name(path))
        return make_status(StatusCode::unknown_name, "HEED_PATH: '%s', expected streaming, onednn or reference",
                           machine.path_override);
    }
  }
  if (path == Path::onednn && !machine.has_onednn)
    return make_status(StatusCode::unsupported, "path: onednn is not in this build");
  if (path == Path::onednn && problem.has_classes)
    return make_status(StatusCode::unsupported, "path: onednn reads no classes, expected streaming or reference");
  plan.path = path;
  for (const Path other : {Path::streaming, Path::onednn, Path::reference}) {
    if (other == path) continue;
    const bool is_absent = other == Path::onednn && !machine.has_onednn;
    const bool is_unable = other == Path::onednn && problem.has_classes;
    reasons.add(path_name(other), is_absent ? "not in this build" : is_unable ? "it reads no classes" : asked);
  }
  return {};
}

Status choose_isa(const Options& options, const Machine& machine, Plan& plan, Reasons& reasons) {
  if (Status status = choose_kernels(options.isa, machine, plan.kernels); !status.ok()) return status;
  const bool is_forced_by_call = !options.isa.empty();
  const bool is_forced = is_forced_by_call || machine.isa_override != nullptr;
  if (plan.path != Path::streaming) return {};  // the others have no kernels to choose
  for (const IsaRow& built : built_isas()) {
    if (built.kernels == plan.kernels) continue;
    reasons.add(built.name, !built.runs_here() ? "does not run on this CPU"
                            : is_forced
                                ? (is_forced_by_call ? "another ISA was asked for" : "HEED_ISA names another ISA")
                                : "a better ISA runs here");
  }
  return {};
}

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// A chunk should last long enough (50 us) to hide what sharing it out costs (about 1 us): at a
// conservative 20 GFLOP/s that is a million flops.
std::int64_t chunk_items(double flops, std::int64_t items) {
  constexpr double flops_per_chunk = 1e6;
  const double flops_per_item = flops / static_cast<double>(items);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(flops_per_chunk / std::max(flops_per_item, 1.0)), 1, items);
}

// Sizes and products that a thread's scratch is linear in, small enough for its formulas not to overflow.
Status check_scratch_sizes(const Problem& problem) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const struct {
    const char* name;
    std::int64_t size;
  } sizes[] = {{"head_dim", problem.head_dim}, {"value_dim", problem.value_dim}, {"kv_len", problem.kv_len}};
  for (const auto& [name, size] : sizes)
    if (size > most)
      return make_status(StatusCode::size_overflow, "scratch: %s is %lld, expected at most %lld", name,
                         static_cast<long long>(size), static_cast<long long>(most));
  const double copied = static_cast<double>(problem.kv_len) * static_cast<double>(problem.head_dim + problem.value_dim);
  if (copied > static_cast<double>(most))
    return make_status(StatusCode::size_overflow,
                       "scratch: kv_len * (head_dim + value_dim) is %g, expected at most %lld", copied,
                       static_cast<long long>(most));
  return {};
}

// Bytes of scratch before alignment.
struct ScratchBytes {
  std::size_t thread = 0;  // of each thread
  std::size_t shared = 0;  // by all of them
};

Status choose_streaming_work(const Problem& problem, int wanted_threads, Plan& plan, ScratchBytes& bytes) {
  const KernelTable& kernels = *plan.kernels;
  plan.has_few_rows = has_few_rows(problem);
  plan.tile = plan.has_few_rows ? choose_few_rows_shape(problem) : choose_tile_shape(kernels, problem);
  plan.rows = plan.has_few_rows ? partition_few_rows(problem)
                                : partition_rows(problem.group * problem.q_len, kernels, shares_key_tiles(problem));
  plan.items =
      (problem.batch + plan.rows.batch_items - 1) / plan.rows.batch_items * problem.kv_heads * plan.rows.job_count;
  plan.parts = choose_key_parts(problem, plan.tile);
  if (problem.scaling.is_given)
    plan.scaler_floats = scaler_floats(problem.scaling, kernels.max_rows) +
                         most_item_rows(plan) * static_cast<std::size_t>(problem.head_dim);
  const std::size_t row_list = sizeof(TileRow) * max_row_tiles * kernels.max_rows;
  bytes.thread = sizeof(float) * (scratch_floats(kernels, problem) + plan.scaler_floats) + row_list;
  if (plan.parts.count == 1) return {};

  plan.part_floats = static_cast<std::size_t>(plan.parts.count) * most_item_rows(plan) * part_row_floats(problem);
  const std::size_t part_bytes = sizeof(float) * plan.part_floats;
  bytes.thread += row_list;  // rows in two forms: of all keys, and of a part
  // Threads that find enough whole items need no shared results.
  constexpr std::int64_t enough_items = 8;
  plan.parts.are_items = wanted_threads > 1 && plan.items < enough_items * wanted_threads;
  if (!plan.parts.are_items) {
    bytes.thread += part_bytes;
    return {};
  }
  std::size_t parts = 0;
  if (__builtin_mul_overflow(part_bytes, static_cast<std::size_t>(plan.items), &parts) ||
      __builtin_add_overflow(bytes.shared, parts, &bytes.shared))
    return make_status(StatusCode::size_overflow, "scratch: %lld times %zu bytes do not fit 64 bits",
                       static_cast<long long>(plan.items), part_bytes);
  plan.items *= plan.parts.count;
  return {};
}

// Shares the items among threads, and says why there are fewer of those than wanted.
void choose_threads(const Problem& problem, int wanted_threads, Plan& plan, Reasons& reasons) {
  const double flops = 2.0 * static_cast<double>(problem.batch) * static_cast<double>(problem.q_heads) *
                       static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len) *
                       static_cast<double>(problem.head_dim + problem.value_dim);
  plan.items_per_chunk = chunk_items(flops, plan.items);
  const std::int64_t chunks = (plan.items + plan.items_per_chunk - 1) / plan.items_per_chunk;
  plan.threads = static_cast<int>(std::clamp<std::int64_t>(chunks, 1, wanted_threads));
  if (plan.threads < wanted_threads)
    reasons.add("more threads", plan.items_per_chunk == 1 ? "fewer work items than that" : "too little work to share");
  // Many items: long chunks, whose heads follow each other, yet short beside a thread's share of the work.
  plan.items_per_chunk = std::max(plan.items_per_chunk, plan.items / (std::int64_t{64} * plan.threads));
}

Status choose_work(const Problem& problem, const Options& options, const Machine& machine, Plan& plan,
                   Reasons& reasons) {
  if (Status status = check_scratch_sizes(problem); !status.ok()) return status;
  const bool is_serial = machine.why_serial != nullptr;
  if (is_serial && options.threads != 1) reasons.add("more threads", machine.why_serial);
  const int wanted_threads = is_serial ? 1 : options.threads > 0 ? options.threads : machine.caller_threads;
  if (problem.is_empty()) {
    if (wanted_threads > 1) reasons.add("more threads", "nothing to compute");
    return {};
  }
  ScratchBytes bytes;
  if (problem.scaling.is_given && plan.path != Path::reference) {
    plan.table_floats = factor_table_floats(problem.scaling);
    bytes.shared = sizeof(float) * plan.table_floats;
  }
  if (plan.path == Path::streaming) {
    if (Status status = choose_streaming_work(problem, wanted_threads, plan, bytes); !status.ok()) return status;
  } else if (plan.path == Path::onednn) {
    const Problem scaled = with_scaled_query(problem, nullptr);
    plan.scores = choose_score_block(scaled);
    plan.items = plan.scores.blocks();
    if (problem.scaling.is_given) {
      plan.scaler_floats = scaler_floats(problem.scaling, plan.kernels->max_rows);
      // q may broadcast, and be as large as its sizes say only when it is scaled.
      const double elements = static_cast<double>(problem.batch) * static_cast<double>(problem.q_heads) *
                              static_cast<double>(problem.q_len) * static_cast<double>(problem.head_dim);
      constexpr double most = 1LL << 60;
      if (elements > most)
        return make_status(StatusCode::size_overflow, "scratch: a scaled q of %g numbers does not fit 64 bits",
                           elements);
      bytes.shared += sizeof(float) * static_cast<std::size_t>(problem.query_elements());
    }
    const auto block = static_cast<std::size_t>(block_scratch(scaled, plan.scores).total());
    bytes.thread = sizeof(float) * std::max(block, plan.scaler_floats);
  } else {  // reference: one row at a time, its scores and its output in double
    plan.items = problem.batch * problem.q_heads * problem.q_len;
    bytes.thread = sizeof(double) * static_cast<std::size_t>(problem.kv_len + problem.value_dim + problem.head_dim);
  }
  choose_threads(problem, wanted_threads, plan, reasons);
  plan.scratch_bytes_per_thread = round_up(bytes.thread, scratch_alignment);
  const auto threads = static_cast<std::size_t>(plan.threads);
  if (__builtin_mul_overflow(threads, plan.scratch_bytes_per_thread, &plan.scratch_bytes) ||
      __builtin_add_overflow(plan.scratch_bytes, bytes.shared, &plan.scratch_bytes) ||
      __builtin_add_overflow(plan.scratch_bytes, scratch_alignment, &plan.scratch_bytes))
    return make_status(StatusCode::size_overflow, "scratch: %d threads of %zu bytes do not fit 64 bits", plan.threads,
                       plan.scratch_bytes_per_thread);
  return {};
}

}  // namespace

Status choose_kernels(std::string_view isa, const Machine& machine, const KernelTable*& kernels) {
  const bool is_forced_by_call = !isa.empty();
  const std::string_view wanted = is_forced_by_call                 ? isa
                                  : machine.isa_override != nullptr ? std::string_view(machine.isa_override)
                                                                    : std::string_view();
  const IsaRow* const row = wanted.empty() ? &best_isa() : find_isa(wanted);
  if (row == nullptr || !row->runs_here()) {
    NameList valid;
    for (const IsaRow& built : built_isas())
      if (built.runs_here()) valid.add(built.name);
    const char* problem = row != nullptr        ? "does not run on this CPU"
                          : is_isa_name(wanted) ? "is not in this build"
                                                : "is unknown";
    return make_status(is_isa_name(wanted) ? StatusCode::unsupported : StatusCode::unknown_name,
                       "%s: '%.*s' %s, expected one of: %s", is_forced_by_call ? "isa" : "HEED_ISA",
                       static_cast<int>(wanted.size()), wanted.data(), problem, valid.text());
  }
  kernels = row->kernels;
  return {};
}

Status make_plan(const Problem& problem, const Options& options, const Machine& machine, Plan& plan) {
  plan = Plan{};
  Reasons reasons(plan);
  if (Status status = choose_path(problem, options, machine, plan, reasons); !status.ok()) return status;
  if (Status status = choose_isa(options, machine, plan, reasons); !status.ok()) return status;
  return choose_work(problem, options, machine, plan, reasons);
}

Machine this_machine(int caller_threads, const char* why_serial, bool has_onednn) {
  const char* path = std::getenv("HEED_PATH");
  return {caller_threads, why_serial, has_onednn, isa_from_environment(),
          path != nullptr && *path != '\0' ? path : nullptr};
}

}  // namespace heed
