// SPDX-License-Identifier: Apache-2.0
// How messages are built: into fixed buffers, so that an error never allocates.
#pragma once

#include <array>
#include <cstddef>

#include "heed/attention.hpp"

namespace heed {

// printf-style; longer texts are cut.
Status make_status(StatusCode code, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

// "a, b, c"
class NameList {
 public:
  void add(const char* name) noexcept;
  const char* text() const noexcept { return text_.data(); }

 private:
  std::array<char, 128> text_{};
  std::size_t size_ = 0;
};

}  // namespace heed
