// SPDX-License-Identifier: Apache-2.0
// scale_queries(): validates, makes the factors, and has the rows scaled.
#include "heed/query_scaling.hpp"

#include <memory>
#include <new>

#include "api/check_scaling.hpp"
#include "paths/parallel_for.hpp"
#include "paths/path.hpp"
#include "paths/query_scaling.hpp"
#include "plan/plan.hpp"
#include "status.hpp"

namespace heed {
namespace {

Status check(const ConstTensor& q, const QueryScaling& scaling, const Tensor& out, const ScaleOptions& options) {
  const Wanted any[] = {any_size("batch"), any_size("q_heads"), any_size("q_len"), any_size("head_dim")};
  const Wanted same[] = {exactly("batch", q.shape[0]), exactly("q_heads", q.shape[1]), exactly("q_len", q.shape[2]),
                         exactly("head_dim", q.shape[3])};
  Checks query(true);
  if (!query.tensor("q", q, any)) return query.status();
  Checks all(true);
  (void)((lies_in_place(q, out) || all.tensor("q", q, any)) && check_query_scaling(all, scaling, q.shape, 0) &&
         all.output("out", out, same));
  if (!all.status().ok()) return all.status();
  if (options.threads < 0)
    return make_status(StatusCode::bad_value, "threads: %d, expected 0 (as many as OpenMP would use) or more",
                       options.threads);
  return {};
}

}  // namespace

Status scale_queries(const ConstTensor& q, const QueryScaling& query_scaling, const Tensor& out,
                     const ScaleOptions& options) noexcept try {
  if (Status status = check(q, query_scaling, out, options); !status.ok()) return status;
  const KernelTable* kernels = nullptr;
  const Machine machine = this_machine(caller_threads(), why_serial(), has_onednn);
  if (Status status = choose_kernels(options.isa, machine, kernels); !status.ok()) return status;
  const Scaling scaling = make_scaling(query_scaling, q.shape, 0);
  if (scaling.batch * scaling.heads * scaling.rows * scaling.head_dim == 0) return {};
  const int threads = machine.why_serial != nullptr ? 1
                      : options.threads > 0         ? options.threads
                                                    : machine.caller_threads;
  constexpr std::size_t line = scratch_alignment / sizeof(float);  // no two threads share one
  const std::size_t thread_floats = (scaler_floats(scaling, kernels->max_rows) + line - 1) / line * line;
  const auto tables = std::make_unique<float[]>(factor_table_floats(scaling));
  const auto scratch = std::make_unique<float[]>(static_cast<std::size_t>(threads) * thread_floats);
  fill_factor_tables(scaling, tables.get());
  scale_all({scaling, *kernels, input_view(q), output_view(out), tables.get(),
             reinterpret_cast<std::byte*>(scratch.get()), thread_floats * sizeof(float)},
            threads);
  return {};
} catch (const std::bad_alloc&) {
  return make_status(StatusCode::out_of_memory, "query_scaling: memory for factors and scratch could not be allocated");
}

}  // namespace heed
