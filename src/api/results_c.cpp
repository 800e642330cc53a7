// SPDX-License-Identifier: Apache-2.0
// Field by field, and texts cut to the caller's buffers.
#include "api/results_c.hpp"

#include <algorithm>
#include <string>

namespace heed {
namespace {

std::string lines(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += text + '\n';
  return joined;
}

}  // namespace

void write_text(std::string_view text, char* data, std::size_t size) {
  if (data == nullptr || size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.data(), length, data);
  data[length] = '\0';
}

std::int32_t answer(const Status& status, char* message, std::size_t message_size) {
  write_text(status.message(), message, message_size);
  return static_cast<std::int32_t>(status.code());
}

void fill(heed_text& text, std::string_view content) {
  write_text(content, text.data, text.size);
  text.needed = content.size() + 1;
}

void fill(heed_explanation& result, const Explanation& explanation) {
  result.path = static_cast<std::int32_t>(explanation.path);
  result.threads = explanation.threads;
  write_text(explanation.isa, result.isa, sizeof(result.isa));
  result.rows_per_tile = explanation.rows_per_tile;
  result.keys_per_tile = explanation.keys_per_tile;
  result.key_parts = explanation.key_parts;
  result.scratch_bytes = explanation.scratch_bytes;
  fill(result.reasons, lines(explanation.reasons));
  fill(result.spec, explanation.spec);
  fill(result.text, explanation.text);
}

Status null_result(const char* name) {
  return make_status(StatusCode::null_data, "%s: null pointer, expected where to write the result", name);
}

}  // namespace heed
