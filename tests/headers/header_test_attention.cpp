// SPDX-License-Identifier: Apache-2.0
// heed/attention.hpp needs no other header, and its constructors are constants.
#include <heed/attention.hpp>

static_assert(heed::Position::bottom_right().kind == heed::Position::Kind::bottom_right);
static_assert(heed::error_bound(0.0, 1.0) == 64.0 / 8388608.0);

int main() { return heed::version() == nullptr; }
