// SPDX-License-Identifier: Apache-2.0
// The README's pattern for a running program: the first call and the 1001st are compared, and one that
// fails says so on stderr, which goes to the file named by the argument.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "readme_audit.hpp"

namespace {

// How often the audits so far have printed a failure of this kind.
std::size_t failures_printed(const char* file, const std::string& text) {
  std::fflush(stderr);
  std::stringstream printed;
  printed << std::ifstream(file).rdbuf();
  const std::string all = printed.str();
  std::size_t count = 0;
  for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++count;
  return count;
}

bool expect(bool holds, const char* what) {
  if (!holds) std::cout << "FAILED: " << what << '\n';
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::freopen(argv[1], "w", stderr) == nullptr) return 2;
  std::vector<float> q(2 * 5 * 8, 0.5f), k(2 * 7 * 8, 0.25f), v(k.size(), 3.0f), out(q.size());
  const auto attend = [&] {
    return audited_attention(heed::bhnd(q.data(), 1, 2, 5, 8), heed::bhnd(k.data(), 1, 2, 7, 8),
                             heed::bhnd(v.data(), 1, 2, 7, 8), heed::bhnd(out.data(), 1, 2, 5, 8),
                             {.path = heed::Path::streaming});
  };
  bool holds = expect(attend().ok() && std::abs(out[0] - 3.0f) < 1e-5f, "a right call answers what attention() does");
  holds &= expect(failures_printed(argv[1], "attention") == 0, "a right call says nothing");
  // Scores past the range of float: NaN here, numbers on the reference path, which computes in double.
  std::ranges::fill(q, 10.0f);
  std::ranges::fill(k, 3e38f);
  for (int call = 2; call <= 1000; ++call) holds &= attend().ok();
  holds &= expect(failures_printed(argv[1], "attention") == 0, "calls 2 to 1000 are not compared");
  holds &= attend().ok();
  holds &= expect(failures_printed(argv[1], "attention: verdict        fail: out") == 1, "call 1001 is compared");
  return holds ? 0 : 1;
}
