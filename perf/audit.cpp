// SPDX-License-Identifier: Apache-2.0
// heed-audit: runs one attention call on the user's own .npy tensors by every path of the build and
// prints how far they are from each other, and from an answer of the user's. The parts are in audit/.
#include <iostream>

#include "audit/audit.hpp"

int main(int argc, char** argv) { return heed::audit::run_audit(argc, argv, std::cout, std::cerr); }
