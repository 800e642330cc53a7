// SPDX-License-Identifier: Apache-2.0
// heed: what every call answers. heed/status.h has the same codes for C.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#define HEED_API [[gnu::visibility("default")]]

namespace heed {

// What kind of mistake a call found. The C API has the same values.
enum class StatusCode : std::int32_t {
  ok = 0,
  null_data = 1,          // a tensor with elements has a null pointer
  bad_size = 2,           // a negative size, or one that the operation can't have
  size_overflow = 3,      // sizes or strides whose product doesn't fit 64 bits
  shape_mismatch = 4,     // two shapes that must agree don't
  bad_heads = 5,          // q_heads is not a multiple of kv_heads, or kv_heads is 0
  bad_value = 6,          // NaN or infinite scale, negative soft cap, negative thread count, ...
  position_missing = 7,   // q_len != kv_len, and causal, window or slopes need a position
  overlap = 8,            // an output overlaps an input, another output, or the scratch
  scratch_too_small = 9,  // see scratch_size()
  unknown_name = 10,      // no such ISA or path; the message lists the valid ones
  unsupported = 11,       // heed, this build or this CPU can't do it; the message says which
  out_of_memory = 12,     // scratch, texts or memory of oneDNN could not be allocated
};

// The answer of every call: a code, and for anything but ok a message such as
// "mask: dimension 3 is 15, expected 1 or 20 (kv_len)". Holds no heap memory.
class [[nodiscard]] HEED_API Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string_view message) noexcept;  // longer messages are cut
  bool ok() const noexcept { return code_ == StatusCode::ok; }
  StatusCode code() const noexcept { return code_; }
  const char* message() const noexcept { return message_.data(); }  // "" when ok

 private:
  StatusCode code_ = StatusCode::ok;
  std::array<char, 252> message_{};
};

}  // namespace heed
