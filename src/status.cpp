// SPDX-License-Identifier: Apache-2.0
// Status and the texts that go into it.
#include "status.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace heed {

Status::Status(StatusCode code, std::string_view message) noexcept : code_(code) {
  std::copy_n(message.data(), std::min(message.size(), message_.size() - 1), message_.data());
}

Status make_status(StatusCode code, const char* format, ...) noexcept {
  std::array<char, 252> text{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return {code, std::string_view(text.data())};
}

void NameList::add(const char* name) noexcept {
  const int written = std::snprintf(text_.data() + size_, text_.size() - size_, "%s%s", size_ > 0 ? ", " : "", name);
  size_ = std::min(text_.size() - 1, size_ + static_cast<std::size_t>(std::max(written, 0)));
}

}  // namespace heed
