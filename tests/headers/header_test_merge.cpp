// SPDX-License-Identifier: Apache-2.0
// heed/merge.hpp needs no other header.
#include <heed/merge.hpp>

int main() { return heed::PartialResult{}.out.data != nullptr; }
