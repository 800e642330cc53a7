// SPDX-License-Identifier: Apache-2.0
// heed/query_scaling.hpp needs no other header.
#include <heed/query_scaling.hpp>

int main() { return heed::scale_queries({}, {}, {}).ok() ? 1 : 0; }
