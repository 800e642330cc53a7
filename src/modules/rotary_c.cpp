// SPDX-License-Identifier: Apache-2.0
// Rotary positions for C: converts structs and calls the C++ API.
#include "heed/rotary.h"

#include <cstddef>
#include <cstring>

#include "api/convert_c.hpp"
#include "api/results_c.hpp"
#include "heed/rotary.hpp"

namespace heed {
namespace {

// As options_size_0_1: a longer struct gets an init function of its own.
constexpr std::size_t options_size_0_1 = offsetof(heed_rotary_options, positions_count) + sizeof(std::int64_t);

static_assert(static_cast<int>(RotaryPairs::split_half) == HEED_SPLIT_HALF &&
                  static_cast<int>(RotaryPairs::interleaved) == HEED_INTERLEAVED,
              "heed_rotary_pairs in heed/rotary.h and RotaryPairs in heed/rotary.hpp differ");

RotaryTable convert(const heed_rotary_table& table) {
  return {table.cosines, table.sines, table.positions, table.width};
}

Status fill_for_c(const heed_rotary_table* table, double theta, const double* frequencies, std::int64_t count) {
  if (table == nullptr) return make_status(StatusCode::null_data, "table: null pointer, expected a struct");
  if (frequencies == nullptr && count == 0) return fill_rotary_table(convert(*table), theta);
  return fill_rotary_table(convert(*table), list(frequencies, count));
}

Status rotate_for_c(const heed_const_tensor* x, const heed_rotary_table* table, const heed_tensor* out,
                    const heed_rotary_options* given) {
  if (Status status = need_structs({{"x", x}, {"table", table}, {"out", out}}); !status.ok()) return status;
  heed_rotary_options options{};
  if (given != nullptr)
    if (Status status = read_sized("options", "heed_rotary_options_init", *given, options); !status.ok()) return status;
  return rotate(heed::convert(*x), convert(*table), heed::convert(*out),
                {static_cast<RotaryPairs>(options.pairs), options.first_position,
                 list(options.positions, options.positions_count), options.threads});
}

}  // namespace
}  // namespace heed

std::int32_t heed_fill_rotary_table(const heed_rotary_table* table, double theta, const double* frequencies,
                                    std::int64_t frequencies_count, char* message, std::size_t message_size) {
  return heed::answer(heed::fill_for_c(table, theta, frequencies, frequencies_count), message, message_size);
}

void heed_rotary_options_init(heed_rotary_options* options) {
  std::memset(options, 0, heed::options_size_0_1);
  options->size = heed::options_size_0_1;
}

std::int32_t heed_rotate(const heed_const_tensor* x, const heed_rotary_table* table, const heed_tensor* out,
                         const heed_rotary_options* options, char* message, std::size_t message_size) {
  return heed::answer(heed::rotate_for_c(x, table, out, options), message, message_size);
}
