// SPDX-License-Identifier: Apache-2.0
// Asks the memory for what the next jobs need while this one computes.
#pragma once

#include "dispatch/kernel_table.hpp"
#include "kernels/lanes.hpp"

namespace heed {
namespace {

// What is due with `keys` keys. Spread over the whole job: a head's lines asked for all at once fill the
// buffers that the loads of this tile wait for, and gain nothing.
HEED_INLINE void fetch_ahead(LinesAhead& ahead, std::size_t keys) {
  const std::size_t due = ahead.due + keys * ahead.per_key;
  ahead.due = due % 256;
  std::size_t count = due / 256;
  LinesAhead::List* list = ahead.next;
  while (count > 0 && list->left > 0) {
    const std::size_t now = count < list->left ? count : list->left;
    const float* at = list->at;
    for (std::size_t line = 0; line < now; ++line, at += list->step) __builtin_prefetch(at);
    list->at = at;
    list->left -= now;
    count -= now;
    if (list->left == 0) ++list;
  }
  ahead.next = list;
}

}  // namespace
}  // namespace heed
