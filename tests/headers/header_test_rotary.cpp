// SPDX-License-Identifier: Apache-2.0
// heed/rotary.hpp needs no other header.
#include <heed/rotary.hpp>

int main() { return heed::rotate({}, {}, {}).ok() ? 0 : 1; }
