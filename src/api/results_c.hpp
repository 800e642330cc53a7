// SPDX-License-Identifier: Apache-2.0
// What C++ calls answer, written into a C caller's structs and buffers.
#pragma once

#include <cstring>
#include <string_view>

#include "api/convert_c.hpp"

namespace heed {

// The code of a status; its message goes to the caller's buffer.
std::int32_t answer(const Status& status, char* message, std::size_t message_size);

// Copies a string with its final zero, cut to size bytes.
void write_text(std::string_view text, char* data, std::size_t size);
void fill(heed_text& text, std::string_view content);

// All fields but the size; the texts go where `result` says.
void fill(heed_explanation& result, const Explanation& explanation);

// As much of a struct that starts with its own size as the caller's has room for.
template <class Struct>
void write_sized(const Struct& result, Struct& given) {
  std::memcpy(&given, &result, std::min(given.size, sizeof(Struct)));
}

Status null_result(const char* name);

}  // namespace heed
