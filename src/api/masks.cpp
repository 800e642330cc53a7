// SPDX-License-Identifier: Apache-2.0
// The constructors whose names carry a mask's polarity.
#include "heed/attention.hpp"

namespace heed {
namespace {

static_assert(sizeof(bool) == 1, "masks are read byte by byte");

const std::uint8_t* bytes(const bool* data) { return reinterpret_cast<const std::uint8_t*>(data); }

Mask contiguous(const std::uint8_t* data, const Dims& shape, bool true_is_allowed) {
  return {data, shape, bhnd_strides(shape[1], shape[2], shape[3]), true_is_allowed};
}

KeyMask contiguous_keys(const std::uint8_t* data, std::int64_t batch, std::int64_t kv_len, bool true_is_allowed) {
  return {data, {batch, kv_len}, {kv_len, 1}, true_is_allowed};
}

}  // namespace

Mask blocked(const std::uint8_t* data, Dims shape) noexcept { return contiguous(data, shape, false); }
Mask blocked(const bool* data, Dims shape) noexcept { return contiguous(bytes(data), shape, false); }
Mask allowed(const std::uint8_t* data, Dims shape) noexcept { return contiguous(data, shape, true); }
Mask allowed(const bool* data, Dims shape) noexcept { return contiguous(bytes(data), shape, true); }

KeyMask blocked_keys(const std::uint8_t* data, std::int64_t batch, std::int64_t kv_len) noexcept {
  return contiguous_keys(data, batch, kv_len, false);
}
KeyMask blocked_keys(const bool* data, std::int64_t batch, std::int64_t kv_len) noexcept {
  return contiguous_keys(bytes(data), batch, kv_len, false);
}
KeyMask allowed_keys(const std::uint8_t* data, std::int64_t batch, std::int64_t kv_len) noexcept {
  return contiguous_keys(data, batch, kv_len, true);
}
KeyMask allowed_keys(const bool* data, std::int64_t batch, std::int64_t kv_len) noexcept {
  return contiguous_keys(bytes(data), batch, kv_len, true);
}

const char* path_name(Path path) noexcept {
  switch (path) {
    case Path::streaming: return "streaming";
    case Path::onednn: return "onednn";
    case Path::reference: return "reference";
    default: return "automatic";
  }
}

}  // namespace heed
