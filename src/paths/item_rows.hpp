// SPDX-License-Identifier: Apache-2.0
// Work items as the kernels want them: what every job of a call has in common, and the rows of one item.
#pragma once

#include "paths/work_items.hpp"

namespace heed {

TileJob make_job(const Plan& plan, const Problem& problem);

// Sets what differs from item to item: rows, all their keys, K and V.
class ItemRows {
 public:
  // rows: room for those of the largest item; outlives this object, as plan and problem do.
  ItemRows(const Plan& plan, const Problem& problem, TileRow* rows);

  void set(const WorkItem& item, TileJob& job) const;

 private:
  void set_terms(const RowPlace& place, TileRow& row) const;

  const Problem& problem_;
  TileRow* rows_;
  bool has_terms_;  // what only some calls have
};

}  // namespace heed
