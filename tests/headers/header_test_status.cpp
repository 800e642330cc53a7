// SPDX-License-Identifier: Apache-2.0
// heed/status.hpp needs no other header.
#include <heed/status.hpp>

int main() { return heed::Status{}.ok() ? 0 : 1; }
