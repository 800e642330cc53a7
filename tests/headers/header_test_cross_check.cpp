// SPDX-License-Identifier: Apache-2.0
// heed/cross_check.hpp needs no other header.
#include <heed/cross_check.hpp>

int main() { return heed::CrossCheckReport{}.verdict != heed::Verdict::not_checked; }
