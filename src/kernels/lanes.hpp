// SPDX-License-Identifier: Apache-2.0
// What kernels need beyond arithmetic: loops unrolled at compile time, the few xsimd names that differ
// between 8.1 and 14, and the transpose of a square of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#define HEED_INLINE [[gnu::always_inline]] inline

namespace heed {
namespace {

// Calls f with the constants 0 .. count-1. An accumulator array stays in registers only if every loop
// over it is unrolled before the compiler decides where it lives; a pragma comes too late for GCC 12,
// which then keeps the array on the stack with a store behind every FMA (85 -> 31 % of the peak). For
// the same reason a function with such an array is [[gnu::flatten]]: a lambda left out of line would
// take the array's address.
template <class Function, std::size_t... index>
HEED_INLINE void repeat_each(Function& f, std::index_sequence<index...>) {
  (f(std::integral_constant<std::size_t, index>{}), ...);
}
template <std::size_t count, class Function>
HEED_INLINE void repeat(Function f) {
  repeat_each(f, std::make_index_sequence<count>{});
}

template <class Arch>
using Floats = xsimd::batch<float, Arch>;
template <class Arch>
using Integers = xsimd::batch<std::int32_t, Arch>;
template <class Arch>
inline constexpr std::size_t lanes = Floats<Arch>::size;

#if XSIMD_VERSION_MAJOR < 10
template <class Arch>
HEED_INLINE Integers<Arch> as_integers(Floats<Arch> x) {
  return xsimd::bitwise_cast<Integers<Arch>>(x);
}
template <class Arch>
HEED_INLINE Floats<Arch> as_floats(Integers<Arch> x) {
  return xsimd::bitwise_cast<Floats<Arch>>(x);
}
#else
template <class Arch>
HEED_INLINE Integers<Arch> as_integers(Floats<Arch> x) {
  return xsimd::bitwise_cast<std::int32_t>(x);
}
template <class Arch>
HEED_INLINE Floats<Arch> as_floats(Integers<Arch> x) {
  return xsimd::bitwise_cast<float>(x);
}
#endif

// x * y + z, with one rounding where the ISA can. xsimd 8.1 has no fma of its own for AVX-512.
#if XSIMD_VERSION_MAJOR < 10 && defined(__AVX512F__)
template <class Arch>
HEED_INLINE Floats<Arch> fma(Floats<Arch> x, Floats<Arch> y, Floats<Arch> z) {
  return _mm512_fmadd_ps(x, y, z);
}
#else
template <class Arch>
HEED_INLINE Floats<Arch> fma(Floats<Arch> x, Floats<Arch> y, Floats<Arch> z) {
  return xsimd::fma(x, y, z);
}
#endif
template <class Arch>
HEED_INLINE Floats<Arch> load(const float* from) {
  return Floats<Arch>::load_unaligned(from);
}

// An emulated register is a plain array, which no shuffle instruction takes.
template <class Arch>
concept Emulated = requires(typename Floats<Arch>::register_type x) {
  x.size();
};

// The larger of x and a bound, and NaN where x is NaN. One instruction: x86 answers its second operand
// when either is NaN, Arm answers NaN; a compare and a blend are four.
template <class Arch>
HEED_INLINE Floats<Arch> at_least(Floats<Arch> x, Floats<Arch> bound) {
  return xsimd::max(bound, x);
}
template <Emulated Arch>
HEED_INLINE Floats<Arch> at_least(Floats<Arch> x, Floats<Arch> bound) {
  return xsimd::select(x < bound, bound, x);
}

// x / y, rounded once. xsimd 8.1 multiplies by an approximate reciprocal on Arm.
template <class Arch>
HEED_INLINE Floats<Arch> divide(Floats<Arch> x, Floats<Arch> y) {
  using Register = typename Floats<Arch>::register_type;
  return static_cast<Register>(x) / static_cast<Register>(y);
}
template <Emulated Arch>
HEED_INLINE Floats<Arch> divide(Floats<Arch> x, Floats<Arch> y) {
  return x / y;
}

// ---- transpose ----

template <auto index, class Register, std::size_t... lane>
HEED_INLINE Register shuffle_lanes(Register a, Register b, std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, index(lane)...);
}
template <class Arch, auto index>
HEED_INLINE Floats<Arch> shuffle(Floats<Arch> a, Floats<Arch> b) {
  using Register = typename Floats<Arch>::register_type;
  return shuffle_lanes<index, Register>(a, b, std::make_index_sequence<lanes<Arch>>{});
}

// (a0 b0 a2 b2 ...) and (a1 b1 a3 b3 ...) in blocks of `width` lanes, for all pairs of rows `width` apart.
template <class Arch, std::size_t width>
HEED_INLINE void exchange_blocks(Floats<Arch> (&x)[lanes<Arch>]) {
  constexpr std::size_t n = lanes<Arch>;
  constexpr auto low = [](std::size_t l) { return static_cast<int>(l / width % 2 == 0 ? l : l - width + n); };
  constexpr auto high = [](std::size_t l) { return static_cast<int>(l / width % 2 == 0 ? l + width : l + n); };
  repeat<n / 2>([&](auto pair) {
    constexpr std::size_t first = pair / width * 2 * width + pair % width;
    const auto a = x[first];
    const auto b = x[first + width];
    x[first] = shuffle<Arch, low>(a, b);
    x[first + width] = shuffle<Arch, high>(a, b);
  });
}

// Replaces x[row] lane col by x[col] lane row. Squares of 4 x 4 within 128 bits first, by interleaving;
// then exchanges of 128-bit and 256-bit blocks. Every step is one instruction on two registers: 24 for
// 8 x 8. (xsimd's zip means different lanes in different versions.)
template <class Arch>
HEED_INLINE void transpose(Floats<Arch> (&x)[lanes<Arch>]) {
  constexpr std::size_t n = lanes<Arch>;
  constexpr auto low = [](std::size_t l) { return static_cast<int>(l / 4 * 4 + l % 4 / 2 + l % 2 * n); };
  constexpr auto high = [](std::size_t l) { return static_cast<int>(l / 4 * 4 + 2 + l % 4 / 2 + l % 2 * n); };
  repeat<n / 4>([&](auto group) {
    Floats<Arch>* const r = x + 4 * group;
    const auto t0 = shuffle<Arch, low>(r[0], r[2]);
    const auto t1 = shuffle<Arch, high>(r[0], r[2]);
    const auto t2 = shuffle<Arch, low>(r[1], r[3]);
    const auto t3 = shuffle<Arch, high>(r[1], r[3]);
    r[0] = shuffle<Arch, low>(t0, t2);
    r[1] = shuffle<Arch, high>(t0, t2);
    r[2] = shuffle<Arch, low>(t1, t3);
    r[3] = shuffle<Arch, high>(t1, t3);
  });
  if constexpr (n >= 8) exchange_blocks<Arch, 4>(x);
  if constexpr (n >= 16) exchange_blocks<Arch, 8>(x);
}

template <Emulated Arch>
HEED_INLINE void transpose(Floats<Arch> (&x)[lanes<Arch>]) {
  constexpr std::size_t n = lanes<Arch>;
  float cells[n * n];
  float row[n];
  for (std::size_t r = 0; r < n; ++r) x[r].store_unaligned(cells + r * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) row[c] = cells[c * n + r];
    x[r] = load<Arch>(row);
  }
}

// ---- sums of lanes ----

// Lane i of the result is the sum of the lanes of x[i], each added up in the same order: pairs, then pairs
// of pairs. 14 shuffles and 7 additions for 8 x 8.
template <class Arch>
HEED_INLINE Floats<Arch> sums_of_lanes(Floats<Arch> (&x)[lanes<Arch>]) {
  constexpr std::size_t n = lanes<Arch>;
  // Even and odd lanes of a, then of b, within 128 bits; then the same of whole 128-bit blocks.
  constexpr auto even = [](std::size_t l) { return static_cast<int>(l / 4 * 4 + l % 2 * 2 + l % 4 / 2 * n); };
  constexpr auto odd = [](std::size_t l) { return static_cast<int>(l / 4 * 4 + l % 2 * 2 + 1 + l % 4 / 2 * n); };
  constexpr auto even_blocks = [](std::size_t l) { return static_cast<int>(l / 4 * 8 + l % 4); };
  constexpr auto odd_blocks = [](std::size_t l) { return static_cast<int>(l / 4 * 8 + 4 + l % 4); };
  repeat<n / 2>([&](auto i) {
    const auto a = x[2 * i], b = x[2 * i + 1];
    x[i] = shuffle<Arch, even>(a, b) + shuffle<Arch, odd>(a, b);
  });
  repeat<n / 4>([&](auto i) {
    const auto a = x[2 * i], b = x[2 * i + 1];
    x[i] = shuffle<Arch, even>(a, b) + shuffle<Arch, odd>(a, b);
  });
  const auto add_blocks = [&](auto count) {
    repeat<count>([&](auto i) {
      const auto a = x[2 * i], b = x[2 * i + 1];
      x[i] = shuffle<Arch, even_blocks>(a, b) + shuffle<Arch, odd_blocks>(a, b);
    });
  };
  if constexpr (n >= 8) add_blocks(std::integral_constant<std::size_t, n / 8>{});
  if constexpr (n >= 16) add_blocks(std::integral_constant<std::size_t, n / 16>{});
  return x[0];
}

template <Emulated Arch>
HEED_INLINE Floats<Arch> sums_of_lanes(Floats<Arch> (&x)[lanes<Arch>]) {
  constexpr std::size_t n = lanes<Arch>;
  float cells[n];
  float sums[n];
  for (std::size_t i = 0; i < n; ++i) {
    x[i].store_unaligned(cells);
    for (std::size_t step = 1; step < n; step *= 2)
      for (std::size_t l = 0; l < n; l += 2 * step) cells[l] += cells[l + step];
    sums[i] = cells[0];
  }
  return load<Arch>(sums);
}

}  // namespace
}  // namespace heed
