// SPDX-License-Identifier: Apache-2.0
// Somebody else's C++ program: weights 1/8, 2/8 and 5/8 of the values 8, 16 and 24 make 20.
#include <cmath>
#include <cstdio>
#include <heed/attention.hpp>

int main() {
  const float q[] = {1.0f};
  const float k[] = {0.0f, 0.69314718f, 1.60943791f};
  const float v[] = {8.0f, 16.0f, 24.0f};
  float result = 0.0f;
  const heed::Status status =
      heed::attention(heed::bhnd(q, 1, 1, 1, 1), heed::bhnd(k, 1, 1, 3, 1), heed::bhnd(v, 1, 1, 3, 1),
                      heed::bhnd(&result, 1, 1, 1, 1), {.scale = 1.0f, .threads = 2});
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return 1;
  }
  std::printf("heed %s: %f\n", heed::version(), static_cast<double>(result));
  return std::fabs(result - 20.0f) < 1e-4f ? 0 : 1;
}
