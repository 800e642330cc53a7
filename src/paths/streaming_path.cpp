// SPDX-License-Identifier: Apache-2.0
// Shares the work items among the threads. For each: rows, their spans, one job, one kernel call; or a call
// for each part of the keys, and the parts merged.
#include <optional>

#include "paths/look_ahead.hpp"
#include "paths/parallel_for.hpp"
#include "paths/part_results.hpp"
#include "paths/path.hpp"
#include "paths/query_scaling.hpp"
#include "paths/scratch.hpp"

namespace heed {
namespace {

static_assert(sizeof(TileRow) % 16 == 0, "a tile's rows must leave the kernel's scratch aligned");

struct Run {
  const Plan& plan;
  const Problem& problem;
  std::byte* scratch;
};

// Shared by the threads, behind the scratch of the last: factors of a query scaling, then part results.
float* shared_floats(const Run& run) {
  return static_cast<float*>(thread_scratch(run.plan, run.scratch, run.plan.threads));
}

// One thread's kernel calls, and its scratch: rows, rows of a part, the kernel's floats, scaled queries, part
// results.
class Worker {
 public:
  Worker(const Run& run, int thread)
      : run_(run),
        rows_(static_cast<TileRow*>(thread_scratch(run.plan, run.scratch, thread))),
        item_rows_(run.plan, run.problem, rows_),
        job_(make_job(run.plan, run.problem)),
        attend_((run.plan.has_few_rows ? run.plan.kernels->attend_few
                                       : run.plan.kernels->attend)[static_cast<int>(DType::f32)]),
        look_ahead_(run.plan, run.problem) {
    const std::size_t row_lists = run.plan.parts.count > 1 ? 2 : 1;
    job_.scratch = reinterpret_cast<float*>(rows_ + row_lists * most_item_rows(run.plan));
    if (!run.problem.scaling.is_given) return;
    scaled_ = job_.scratch + scratch_floats(*run.plan.kernels, run.problem);
    float* const scratch = scaled_ + most_item_rows(run.plan) * job_.head_dim;
    scaler_.emplace(run.problem.scaling, *run.plan.kernels, shared_floats(run), scratch, job_.q_channel, 1);
    job_.q_channel = 1;
  }

  void attend(std::int64_t index) {
    const Plan& plan = run_.plan;
    const WorkItem item = set(index);
    if (plan.parts.count > 1) {
      const PartResults results = thread_results();
      for (std::int64_t part = 0; part < plan.parts.count; ++part) attend_part(results, part);
      return results.merge(job_);
    }
    if (item.first_row == 0) job_.ahead = look_ahead_.after(item.batch, item.kv_head);
    attend_(job_);
  }

  // Parts that threads share: index counts the parts of all items.
  void attend_shared_part(std::int64_t index) {
    const std::int64_t item = index / run_.plan.parts.count;
    set(item);
    attend_part(shared_results(item), index % run_.plan.parts.count);
  }
  void merge_shared_parts(std::int64_t item) {
    set(item);
    shared_results(item).merge(job_);
  }

 private:
  WorkItem set(std::int64_t index) {
    const WorkItem item = work_item(run_.plan, run_.problem, index);
    item_rows_.set(item, job_);
    if (scaler_) scale_queries(item);
    return item;
  }
  // The rows of the item, side by side in scratch, take the place of those of the call.
  void scale_queries(const WorkItem& item) {
    RowPlace place = first_place(run_.problem, item);
    for (std::size_t r = 0; r < job_.row_count; ++r) {
      float* const scaled = scaled_ + r * job_.head_dim;
      scaler_->add(place.batch, place.head, place.token, rows_[r].q, scaled);
      rows_[r].q = scaled;
      place = next_place(run_.problem, item, place);
    }
    scaler_->finish();
  }
  void attend_part(const PartResults& results, std::int64_t part) {
    attend_(results.narrow(job_, part, rows_ + most_item_rows(run_.plan)));
  }
  PartResults thread_results() const {
    return {run_.plan, run_.problem,
            job_.scratch + scratch_floats(*run_.plan.kernels, run_.problem) + run_.plan.scaler_floats};
  }
  PartResults shared_results(std::int64_t item) const {
    float* const floats = shared_floats(run_) + run_.plan.table_floats;
    return {run_.plan, run_.problem, floats + static_cast<std::size_t>(item) * run_.plan.part_floats};
  }

  const Run& run_;
  TileRow* rows_;
  ItemRows item_rows_;
  TileJob job_;
  AttendTile attend_;
  LookAhead look_ahead_;
  std::optional<QueryScaler> scaler_;
  float* scaled_ = nullptr;  // rows of an item [rows][head_dim]
};

template <void (Worker::*step)(std::int64_t)>
void work(const void* context, std::int64_t begin, std::int64_t end, int thread) noexcept {
  Worker worker(*static_cast<const Run*>(context), thread);
  for (std::int64_t index = begin; index < end; ++index) (worker.*step)(index);
}

}  // namespace

Status run_streaming(const Plan& plan, const Problem& problem, std::span<std::byte> scratch) noexcept {
  const Run run{plan, problem, scratch.data()};
  if (problem.scaling.is_given) fill_factor_tables(problem.scaling, shared_floats(run));
  if (plan.parts.are_items) {
    parallel_for(plan.items, plan.items_per_chunk, plan.threads, work<&Worker::attend_shared_part>, &run);
    parallel_for(plan.items / plan.parts.count, 1, 1, work<&Worker::merge_shared_parts>, &run);
  } else {
    parallel_for(plan.items, plan.items_per_chunk, plan.threads, work<&Worker::attend>, &run);
  }
  return {};
}

}  // namespace heed
