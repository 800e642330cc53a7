// SPDX-License-Identifier: Apache-2.0
// Memory that ends or begins at an unmapped page, so that one byte too far is a crash. Every byte is
// 0xFF at first: NaN as a float, true as a mask cell.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace heed::tests {

enum class Edge { begin, end };  // which end of the data touches the unmapped page

inline constexpr unsigned char poison = 0xFF;

template <class T>
class GuardedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GuardedBuffer() = default;
  explicit GuardedBuffer(std::size_t count, Edge edge = Edge::end) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = std::max<std::size_t>(count * sizeof(T), 1);
    body_bytes_ = (bytes + page - 1) / page * page;
    map_bytes_ = body_bytes_ + 2 * page;
    void* map = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(map);
    body_ = map_ + page;
    if (mprotect(body_, body_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(body_, poison, body_bytes_);
    data_ = reinterpret_cast<T*>(edge == Edge::begin ? body_ : body_ + (body_bytes_ - count * sizeof(T)));
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  GuardedBuffer(GuardedBuffer&& other) noexcept { swap(other); }
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GuardedBuffer() {
    if (map_ != nullptr) munmap(map_, map_bytes_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::span<T> values() const { return {data_, count_}; }
  T& operator[](std::size_t n) const { return data_[n]; }

  // The mapped bytes that are not data: the rest of the first or the last page.
  bool is_slack_untouched() const {
    if (map_ == nullptr) return true;
    const auto* first = reinterpret_cast<const std::byte*>(data_);
    const std::byte* last = first + count_ * sizeof(T);
    const auto is_poison = [](std::byte byte) { return byte == std::byte{poison}; };
    return std::all_of(static_cast<const std::byte*>(body_), first, is_poison) &&
           std::all_of(last, static_cast<const std::byte*>(body_) + body_bytes_, is_poison);
  }

 private:
  void swap(GuardedBuffer& other) noexcept {
    std::swap(map_, other.map_);
    std::swap(body_, other.body_);
    std::swap(map_bytes_, other.map_bytes_);
    std::swap(body_bytes_, other.body_bytes_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

  std::byte* map_ = nullptr;
  std::byte* body_ = nullptr;
  std::size_t map_bytes_ = 0, body_bytes_ = 0;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace heed::tests
