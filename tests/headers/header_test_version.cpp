// SPDX-License-Identifier: Apache-2.0
// heed/version.h needs no other header; the three numbers and the text agree.
#include <heed/version.h>

#include <string>

int main() {
  const std::string text = std::to_string(HEED_VERSION_MAJOR) + "." + std::to_string(HEED_VERSION_MINOR) + "." +
                           std::to_string(HEED_VERSION_PATCH);
  return text != HEED_VERSION;
}
