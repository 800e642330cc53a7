// SPDX-License-Identifier: Apache-2.0
// Both APIs in one file.
#include <heed/attention.h>

#include <heed/attention.hpp>

int main() { return heed_version() != heed::version(); }
