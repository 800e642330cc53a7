// SPDX-License-Identifier: Apache-2.0
// heed/version.h needs no other header, in C99.
#include <heed/version.h>

int main(void) { return sizeof HEED_VERSION < 6 || HEED_VERSION_MAJOR + HEED_VERSION_MINOR + HEED_VERSION_PATCH < 1; }
