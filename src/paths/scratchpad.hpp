// SPDX-License-Identifier: Apache-2.0
// What oneDNN's primitives work in.
#pragma once

#include <cstddef>
#include <memory>

namespace heed {

// Memory for oneDNN's own use, as large as the largest primitive so far wanted.
class Scratchpad {
 public:
  std::byte* get(std::size_t bytes) {
    if (bytes > size_) {
      memory_.reset(new std::byte[bytes + alignment]);
      size_ = bytes;
    }
    void* aligned = memory_.get();
    std::size_t room = size_ + alignment;
    return static_cast<std::byte*>(std::align(alignment, size_, aligned, room));
  }

 private:
  static constexpr std::size_t alignment = 64;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

}  // namespace heed
