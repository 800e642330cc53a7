// SPDX-License-Identifier: Apache-2.0
// A stack of equal matrices in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace heed {

struct Matrices {
  std::int64_t count = 0, rows = 0, columns = 0;
  std::int64_t count_stride = 0, row_stride = 0, column_stride = 0;  // in elements

  std::int64_t elements() const { return count * rows * columns; }
  std::int64_t offset(std::int64_t n, std::int64_t row, std::int64_t column) const {
    return n * count_stride + row * row_stride + column * column_stride;
  }
};

inline Matrices dense(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  return {count, rows, columns, rows * columns, columns, 1};
}
inline Matrices transposed(const Matrices& m) {
  return {m.count, m.columns, m.rows, m.count_stride, m.column_stride, m.row_stride};
}

// Elements from the first to the last, those between included; strides are not negative.
inline std::int64_t extent(const Matrices& m) {
  return m.elements() == 0 ? 0 : m.offset(m.count - 1, m.rows - 1, m.columns - 1) + 1;
}

// Where a copy of plain matrices lies: as they do, since oneDNN's choice of code, and with it the last bit of
// a product, may depend on strides; or dense, where their memory is mostly other things.
inline Matrices copy_shape(const Matrices& m) {
  constexpr std::int64_t most_spread = 64;
  if (extent(m) / most_spread <= m.elements()) return m;
  const bool by_columns = m.rows > 1 && m.columns > 1 && m.row_stride < m.column_stride;
  return by_columns ? transposed(dense(m.count, m.columns, m.rows)) : dense(m.count, m.rows, m.columns);
}

// Do rows or columns lie side by side, and the elements of each other dimension beyond all of the ones below
// it? Then oneDNN takes the matrices as they lie.
inline bool is_plain(const Matrices& m) {
  if (m.rows > 1 || m.columns > 1)
    if (!(m.rows > 1 && m.row_stride == 1) && !(m.columns > 1 && m.column_stride == 1)) return false;
  std::array<std::pair<std::int64_t, std::int64_t>, 3> steps = {
      {{m.count_stride, m.count}, {m.row_stride, m.rows}, {m.column_stride, m.columns}}};
  std::sort(steps.begin(), steps.end());
  std::int64_t extent = 1;
  for (const auto& [stride, size] : steps) {
    if (size <= 1) continue;
    if (stride < extent) return false;
    extent = stride * size;
  }
  return true;
}

}  // namespace heed
