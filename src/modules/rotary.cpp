// SPDX-License-Identifier: Apache-2.0
// Rotary positions: checks, the table in double, and the loop over tokens.
#include "heed/rotary.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <type_traits>

#include "modules/rotation.hpp"
#include "paths/parallel_for.hpp"
#include "plan/problem.hpp"
#include "status.hpp"

namespace heed {
namespace {

constexpr Wanted any_cells[] = {any_size("one"), any_size("one"), any_size("positions"), any_size("width / 2")};
Tensor cells(float* data, const RotaryTable& table) { return bhnd(data, 1, 1, table.positions, table.width / 2); }

bool check_written(Checks& checks, const RotaryTable& table) {
  return checks.output("table.cosines", cells(table.cosines, table), any_cells) &&
         checks.output("table.sines", cells(table.sines, table), any_cells);
}

// A table without positions has memory of no size, whatever its width.
std::int64_t pairs_to_fill(const RotaryTable& table) { return table.positions == 0 ? 0 : table.width / 2; }

// The first pair that has an angle of no size or direction, or the number of pairs.
template <class Frequency>
std::int64_t first_infinite(const RotaryTable& table, Frequency frequency) {
  const auto last = static_cast<double>(table.positions - 1);
  std::int64_t i = 0;
  while (i < pairs_to_fill(table) && std::isfinite(last * frequency(i))) ++i;
  return i;
}

template <class Frequency>
void fill(const RotaryTable& table, Frequency frequency) {
  const std::int64_t pairs = table.width / 2;
  for (std::int64_t i = 0; i < pairs_to_fill(table); ++i) {
    const double f = frequency(i);
    for (std::int64_t p = 0; p < table.positions; ++p) {
      const double angle = static_cast<double>(p) * f;
      table.cosines[p * pairs + i] = static_cast<float>(std::cos(angle));
      table.sines[p * pairs + i] = static_cast<float>(std::sin(angle));
    }
  }
}

bool is_empty(const Dims& shape) { return std::ranges::find(shape, 0) != shape.end(); }

// The positions of a call: given, or counted.
struct Positions {
  explicit Positions(const Dims& shape, const RotaryOptions& options)
      : given(options.positions.empty() ? nullptr : options.positions.data()),
        batch_step(static_cast<std::int64_t>(options.positions.size()) == shape[2] ? 0 : shape[2]),
        first(options.first_position) {}
  std::int64_t of(std::int64_t batch, std::int64_t token) const {
    return given == nullptr ? first + token : given[batch * batch_step + token];
  }
  const std::int64_t* given;
  std::int64_t batch_step;
  std::int64_t first;
};

Status check_positions(const Dims& shape, const RotaryTable& table, const RotaryOptions& options) {
  const auto& [batch, heads, tokens, head_dim] = shape;
  const auto count = static_cast<std::int64_t>(options.positions.size());
  const bool is_given = options.positions.data() != nullptr || count != 0;
  if (is_given && count != tokens && count != batch * tokens)
    return make_status(StatusCode::bad_size,
                       "positions: %" PRId64 " values, expected %" PRId64 " (tokens) or %" PRId64 " (batch * tokens)",
                       count, tokens, batch * tokens);
  if (is_empty(shape)) return {};
  const auto lacks = [&](std::int64_t p, std::int64_t b, std::int64_t n) {
    return make_status(StatusCode::bad_value,
                       "positions: %" PRId64 " of batch item %" PRId64 ", token %" PRId64 ", expected 0 to %" PRId64
                       " (the table's last)",
                       p, b, n, table.positions - 1);
  };
  if (!is_given) {
    const std::int64_t first = options.first_position;
    if (first < 0 || first >= table.positions) return lacks(first, 0, 0);
    if (tokens > table.positions - first) return lacks(table.positions, 0, table.positions - first);
    return {};
  }
  const Positions positions(shape, options);
  for (std::int64_t b = 0; b < (positions.batch_step != 0 ? batch : 1); ++b)
    for (std::int64_t n = 0; n < tokens; ++n)
      if (const std::int64_t p = positions.of(b, n); p < 0 || p >= table.positions) return lacks(p, b, n);
  return {};
}

Status check(const ConstTensor& x, const RotaryTable& table, const Tensor& out, const RotaryOptions& options) {
  const Wanted any[] = {any_size("batch"), any_size("heads"), any_size("tokens"), any_size("head_dim")};
  const Wanted same[] = {exactly("batch", x.shape[0]), exactly("heads", x.shape[1]), exactly("tokens", x.shape[2]),
                         exactly("head_dim", x.shape[3])};
  if (Status status = check_rotary_sizes(table); !status.ok()) return status;
  Checks input(true);
  if (!input.tensor("x", x, any)) return input.status();
  Checks all(true);
  (void)((lies_in_place(x, out) || all.tensor("x", x, any)) && check_rotary_memory(all, table) &&
         all.optional_values("positions", options.positions,
                             exactly("positions", static_cast<std::int64_t>(options.positions.size()))) &&
         all.output("out", out, same));
  if (!all.status().ok()) return all.status();
  if (options.threads < 0)
    return make_status(StatusCode::bad_value, "threads: %d, expected 0 (as many as OpenMP would use) or more",
                       options.threads);
  return check_rotation(x.shape, table, options);
}

struct Run {
  View<const float> x;
  View<float> out;
  const RotaryTable& table;
  Positions positions;
  RotaryPairs pairs;
  std::int64_t heads, tokens, head_dim;
};

// Elements from pair to pair, and from a to b. Constants let the compiler turn whole vectors.
template <class Step, class Partner>
struct PairLayout {
  Step step;
  Partner partner;
};
template <class Step, class Partner>  // Clang 16 deduces none from an aggregate
PairLayout(Step, Partner)->PairLayout<Step, Partner>;

// All pairs are read before one is written, since out may be x.
template <std::int64_t count, class Layout>
void turn_pairs(const float* x, Layout from, float* out, Layout to, const float* cosines, const float* sines) {
  float a[count], b[count];
  for (std::int64_t i = 0; i < count; ++i) {
    const float first = x[i * from.step], second = x[i * from.step + from.partner];
    a[i] = first * cosines[i] - second * sines[i];
    b[i] = second * cosines[i] + first * sines[i];
  }
  for (std::int64_t i = 0; i < count; ++i) {
    out[i * to.step] = a[i];
    out[i * to.step + to.partner] = b[i];
  }
}

template <class Layout>
void turn_row(const float* x, Layout from, float* out, Layout to, const float* cosines, const float* sines,
              std::int64_t pairs) {
  const auto turn = [&](auto count, std::int64_t i) {
    turn_pairs<count>(x + i * from.step, from, out + i * to.step, to, cosines + i, sines + i);
  };
  std::int64_t i = 0;
  for (; i + 8 <= pairs; i += 8) turn(std::integral_constant<std::int64_t, 8>{}, i);
  for (; i < pairs; ++i) turn(std::integral_constant<std::int64_t, 1>{}, i);
}

void turn_row(const Run& run, const float* x, float* out, std::int64_t position) {
  constexpr std::integral_constant<std::int64_t, 1> one;
  constexpr std::integral_constant<std::int64_t, 2> two;
  const std::int64_t half = run.table.width / 2, x_step = run.x.strides[3], out_step = run.out.strides[3];
  const float* const cosines = run.table.cosines + position * half;
  const float* const sines = run.table.sines + position * half;
  const bool is_split = run.pairs == RotaryPairs::split_half;
  if (x_step == 1 && out_step == 1 && is_split)
    turn_row(x, PairLayout{one, half}, out, PairLayout{one, half}, cosines, sines, half);
  else if (x_step == 1 && out_step == 1)
    turn_row(x, PairLayout{two, one}, out, PairLayout{two, one}, cosines, sines, half);
  else if (is_split)
    turn_row(x, PairLayout{x_step, half * x_step}, out, PairLayout{out_step, half * out_step}, cosines, sines, half);
  else
    turn_row(x, PairLayout{2 * x_step, x_step}, out, PairLayout{2 * out_step, out_step}, cosines, sines, half);
  for (std::int64_t c = run.table.width; c < run.head_dim; ++c) out[c * out_step] = x[c * x_step];
}

// Items: batch, token, head; the heads of a token share its sines.
void rotate_rows(const void* context, std::int64_t begin, std::int64_t end, int) noexcept {
  const Run& run = *static_cast<const Run*>(context);
  std::int64_t head = begin % run.heads;
  std::int64_t token = begin / run.heads % run.tokens;
  std::int64_t batch = begin / run.heads / run.tokens;
  for (std::int64_t index = begin; index < end; ++index) {
    turn_row(run, run.x.row(batch, head, token), run.out.row(batch, head, token), run.positions.of(batch, token));
    // Divisions would take as long as a row of 16 channels.
    if (++head < run.heads) continue;
    head = 0;
    if (++token < run.tokens) continue;
    token = 0;
    ++batch;
  }
}

}  // namespace

Status check_rotary_sizes(const RotaryTable& table) {
  if (table.width < 0 || table.width % 2 != 0)
    return make_status(StatusCode::bad_value, "table: width is %" PRId64 ", expected an even number of channels",
                       table.width);
  if (table.positions < 0)
    return make_status(StatusCode::bad_size, "table: positions is %" PRId64 ", expected 0 or more", table.positions);
  return {};
}

bool check_rotary_memory(Checks& checks, const RotaryTable& table) {
  return checks.tensor("table.cosines", cells(table.cosines, table), any_cells) &&
         checks.tensor("table.sines", cells(table.sines, table), any_cells);
}

Status check_rotation(const Dims& shape, const RotaryTable& table, const RotaryOptions& options) {
  if (table.width > shape[3])
    return make_status(StatusCode::bad_value, "table: width is %" PRId64 ", expected at most %" PRId64 " (head_dim)",
                       table.width, shape[3]);
  if (options.pairs != RotaryPairs::split_half && options.pairs != RotaryPairs::interleaved)
    return make_status(StatusCode::bad_value, "pairs: %" PRId32 ", expected 0 (split_half) or 1 (interleaved)",
                       static_cast<std::int32_t>(options.pairs));
  return check_positions(shape, table, options);
}

Status fill_rotary_table(const RotaryTable& table, double theta) noexcept {
  if (Status status = check_rotary_sizes(table); !status.ok()) return status;
  if (Checks checks(true); !check_written(checks, table)) return checks.status();
  if (!std::isfinite(theta) || theta <= 0.0)
    return make_status(StatusCode::bad_value, "theta: %g, expected a finite number above 0", theta);
  const auto frequency = [&](std::int64_t i) {
    return std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(table.width));
  };
  if (const std::int64_t i = first_infinite(table, frequency); i < pairs_to_fill(table))
    return make_status(StatusCode::bad_value,
                       "theta: %g gives frequency %g for pair %" PRId64 ", expected finite angles to position %" PRId64,
                       theta, frequency(i), i, table.positions - 1);
  fill(table, frequency);
  return {};
}

Status fill_rotary_table(const RotaryTable& table, std::span<const double> frequencies) noexcept {
  if (Status status = check_rotary_sizes(table); !status.ok()) return status;
  Checks checks(true);
  if (!checks.values("frequencies", frequencies, exactly("width / 2", table.width / 2)) ||
      !check_written(checks, table))
    return checks.status();
  const auto frequency = [&](std::int64_t i) { return frequencies[static_cast<std::size_t>(i)]; };
  if (const std::int64_t i = first_infinite(table, frequency); i < pairs_to_fill(table))
    return make_status(StatusCode::bad_value,
                       "frequencies: value %" PRId64 " is %g, expected finite angles to position %" PRId64, i,
                       frequency(i), table.positions - 1);
  fill(table, frequency);
  return {};
}

Status rotate(const ConstTensor& x, const RotaryTable& table, const Tensor& out,
              const RotaryOptions& options) noexcept {
  if (Status status = check(x, table, out, options); !status.ok()) return status;
  if (is_empty(x.shape)) return {};
  const auto& [batch, heads, tokens, head_dim] = x.shape;
  const Run run{input_view(x), output_view(out), table,   Positions(x.shape, options), options.pairs,
                heads,         tokens,           head_dim};
  // 64 KiB of channels: some 5 us.
  const std::int64_t chunk = std::max<std::int64_t>(1, 16384 / head_dim);
  const std::int64_t rows = batch * heads * tokens;
  const int wanted = options.threads > 0 ? options.threads : caller_threads();
  const auto threads = static_cast<int>(std::min<std::int64_t>(wanted, (rows + chunk - 1) / chunk));
  parallel_for(rows, chunk, threads, rotate_rows, &run);
  return {};
}

}  // namespace heed
