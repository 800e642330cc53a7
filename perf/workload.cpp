// SPDX-License-Identifier: Apache-2.0
// Allocates and fills what a spec describes.
#include "workload.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "random_numbers.hpp"

namespace heed::perf {
namespace {

constexpr std::size_t page_bytes = 4096;
// Large buffers ask for large pages, as most systems give them unasked; where they must be asked for, 4 KiB
// pages would measure the walks through page tables (a 436 MB read: 7 GB/s, with large pages 14).
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t skew_step_bytes = 9 * 64;  // 7 buffers lie at different lines of a 4 KiB set

// ---- Numbers by place: a hash of seed, tensor and index, so that any layout gets the same ----

enum class Stream : std::uint64_t { q = 1, k, v, bias, bias_hidden, mask, key_mask, lengths, sinks, offsets };

class Numbers {
 public:
  Numbers(std::uint64_t seed, Stream stream) : key_(mix(mix(seed) + static_cast<std::uint64_t>(stream))) {}
  std::uint64_t bits(std::uint64_t index) const { return mix(key_ + index * 0x9e3779b97f4a7c15u); }
  bool is_hit(std::uint64_t index, int percent) const {
    return (bits(index) >> 32) * 100 < static_cast<std::uint64_t>(percent) << 32;
  }
  std::int64_t between(std::uint64_t index, std::int64_t low, std::int64_t high) const {
    return low + static_cast<std::int64_t>(bits(index) % (static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  std::uint64_t key_;
};

// Standard normal numbers from 32 random bits: the inverse distribution at 4097 points, straight
// lines between. A few instructions a number; tensors of hundreds of MB take well under a second.
class NormalTable {
 public:
  NormalTable() {
    for (std::size_t index = 1; index < cells; ++index) at_[index] = quantile(static_cast<double>(index) / cells);
    at_[0] = quantile(0.1 / cells);  // the open ends are cut at 4.2
    at_[cells] = -at_[0];
  }
  float operator()(std::uint64_t bits) const {
    const auto cell = static_cast<std::size_t>(bits >> 52);
    const float place = static_cast<float>((bits >> 28) & 0xffffffu) * 0x1p-24f;
    return at_[cell] + place * (at_[cell + 1] - at_[cell]);
  }

 private:
  static constexpr std::size_t cells = 4096;
  std::array<float, cells + 1> at_{};

  static float quantile(double probability) {
    double low = -9.0, high = 9.0;
    for (int step = 0; step < 48; ++step) {
      const double middle = 0.5 * (low + high);
      (0.5 * std::erfc(-middle * std::sqrt(0.5)) < probability ? low : high) = middle;
    }
    return static_cast<float>(low);
  }
};

float normal(std::uint64_t bits) {
  static const NormalTable table;
  return table(bits);
}

// value(index) for every distinct element; index counts logical elements in [b, h, n, c] order.
template <class Value>
void fill(const Tensor& tensor, Value value) {
  const auto& [batch, heads, tokens, channels] = tensor.shape;
  const Dims& strides = tensor.strides;
  const auto steps = [&](std::size_t d) {
    return strides[d] == 0 ? std::min<std::int64_t>(tensor.shape[d], 1) : tensor.shape[d];
  };
  for (std::int64_t b = 0; b < steps(0); ++b)
    for (std::int64_t h = 0; h < steps(1); ++h)
      for (std::int64_t n = 0; n < steps(2); ++n) {
        float* row = static_cast<float*>(tensor.data) + (b * strides[0] + h * strides[1] + n * strides[2]);
        const auto first = static_cast<std::uint64_t>(((b * heads + h) * tokens + n) * channels);
        for (std::int64_t c = 0; c < steps(3); ++c) row[c * strides[3]] = value(first + static_cast<std::uint64_t>(c));
      }
}

void fill_normal(const Tensor& tensor, const Numbers& numbers, float factor) {
  fill(tensor, [&](std::uint64_t index) { return factor * normal(numbers.bits(index)); });
}

// ---- Sizes ----

struct Extent {
  std::int64_t lowest = 0, highest = 0;  // offsets of elements, in elements
  bool is_empty = false;
};

Extent extent_of(const char* name, const Dims& shape, const Dims& strides) {
  Extent extent;
  std::int64_t elements = 1;
  bool overflows = false;
  for (std::size_t d = 0; d < 4; ++d) {
    std::int64_t reach = 0;
    overflows |= __builtin_mul_overflow(elements, std::max<std::int64_t>(shape[d], 1), &elements);
    overflows |= __builtin_mul_overflow(std::max<std::int64_t>(shape[d] - 1, 0), strides[d], &reach);
    std::int64_t& end = reach < 0 ? extent.lowest : extent.highest;
    overflows |= __builtin_add_overflow(end, reach, &end);
    extent.is_empty |= shape[d] == 0;
  }
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 8;
  if (overflows || extent.highest > limit || extent.lowest < -limit)
    throw std::length_error(std::string("spec: ") + name + " is larger than 64-bit sizes allow");
  return extent;
}

// Systems that promise more memory than they have would kill the program at the first touch.
void check_memory(double bytes) {
  const double available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= 0.9 * available) return;
  throw std::length_error("spec: its tensors need " + std::to_string(static_cast<long long>(bytes / 1e6)) +
                          " MB, this machine has " + std::to_string(static_cast<long long>(available / 1e6)));
}

std::size_t cell_count(const char* name, const Dims& shape) {
  const Extent extent = extent_of(name, shape, bhnd_strides(shape[1], shape[2], shape[3]));
  return extent.is_empty ? 0 : static_cast<std::size_t>(extent.highest) + 1;
}

}  // namespace

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

Buffer::Buffer(std::size_t bytes, std::size_t skew_bytes) : size_bytes_(bytes) {
  const std::size_t alignment = bytes < large_page_bytes / 2 ? page_bytes : large_page_bytes;
  const std::size_t whole = (bytes + skew_bytes + alignment) / alignment * alignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, whole)));
  if (memory_ == nullptr) throw std::bad_alloc();
  if (alignment == large_page_bytes) madvise(memory_.get(), whole, MADV_HUGEPAGE);  // a wish: it may fail
  data_ = memory_.get() + skew_bytes;
}

Tensor Workload::allocate(const char* name, const Dims& shape, const Dims& strides, bool is_output) {
  const Extent extent = extent_of(name, shape, strides);
  if (extent.is_empty) return {nullptr, shape, strides};
  const std::size_t bytes = sizeof(float) * (static_cast<std::size_t>(extent.highest - extent.lowest) + 1);
  double total = static_cast<double>(bytes);
  for (const Buffer& other : buffers_) total += static_cast<double>(other.size_bytes());
  check_memory(total);
  const Buffer& buffer = buffers_.emplace_back(bytes, buffers_.size() * skew_step_bytes % page_bytes);
  // NaN where no element lies: reading there shows.
  std::memset(buffer.data(), 0xff, bytes);
  if (is_output) output_buffers_.push_back(buffers_.size() - 1);
  return {reinterpret_cast<float*>(buffer.data()) - extent.lowest, shape, strides};
}

Workload::Workload(const Spec& wanted) : spec(wanted) {
  q = allocate("q", spec.q_shape(), strides_of(spec.q, spec.q_shape()), false);
  k = allocate("k", spec.k_shape(), strides_of(spec.k, spec.k_shape()), false);
  v = allocate("v", spec.v_shape(), strides_of(spec.v, spec.v_shape()), false);
  out = allocate("out", spec.out_shape(), strides_of(spec.out, spec.out_shape()), true);

  const float factor = spec.fill == Fill::large ? 8.0f : spec.fill == Fill::tiny ? 2e-38f : 1.0f;
  fill_normal(q, {spec.seed, Stream::q}, spec.fill == Fill::equal ? 0.0f : factor);
  fill_normal(k, {spec.seed, Stream::k}, factor);
  fill_normal(v, {spec.seed, Stream::v}, spec.fill == Fill::large ? 1.0f : factor);

  options.scale = spec.scale;
  options.soft_cap = spec.soft_cap;
  options.causal = spec.causal;
  options.window = {spec.window_left, spec.window_right};
  if (spec.bias) make_bias();
  make_masks();
  make_heads_and_positions();
  if (spec.wants_lse) {
    const Dims shape = {spec.batch, spec.q_heads, spec.q_len, 1};
    options.lse = lse = allocate("lse", shape, bhnd_strides(shape[1], shape[2], shape[3]), true);
  }
  if (spec.wants_weights) {
    const Dims shape = {spec.batch, spec.q_heads, spec.q_len, spec.kv_len};
    options.weights = weights = allocate("weights", shape, bhnd_strides(shape[1], shape[2], shape[3]), true);
  }
}

void Workload::poison_outputs() {
  for (const std::size_t index : output_buffers_)
    std::memset(buffers_[index].data(), 0xff, buffers_[index].size_bytes());
}

std::vector<std::span<const std::byte>> Workload::memory() const {
  std::vector<std::span<const std::byte>> parts;
  for (const Buffer& buffer : buffers_) parts.emplace_back(buffer.data(), buffer.size_bytes());
  parts.push_back(std::as_bytes(std::span(mask_cells)));
  parts.push_back(std::as_bytes(std::span(key_mask_cells)));
  return parts;
}

void Workload::make_bias() {
  const Dims& shape = *spec.bias;
  bias = allocate("bias", shape, bhnd_strides(shape[1], shape[2], shape[3]), false);
  const Numbers values{spec.seed, Stream::bias};
  const Numbers hidden{spec.seed, Stream::bias_hidden};
  fill(bias, [&](std::uint64_t index) {
    return hidden.is_hit(index, spec.bias_hidden_percent) ? -std::numeric_limits<float>::infinity()
                                                          : normal(values.bits(index));
  });
  options.bias = bias;
}

void Workload::make_masks() {
  if (spec.key_mask) {
    const Numbers numbers{spec.seed, Stream::key_mask};
    key_mask_cells.resize(cell_count("key_mask", {1, 1, spec.batch, spec.kv_len}));
    for (std::size_t cell = 0; cell < key_mask_cells.size(); ++cell) {
      const auto b = static_cast<std::int64_t>(cell) / spec.kv_len;
      const auto j = static_cast<std::int64_t>(cell) % spec.kv_len;
      const bool is_hidden = spec.key_hidden_percent ? numbers.is_hit(cell, *spec.key_hidden_percent)
                                                     : b % 2 == 0 && j >= spec.kv_len - spec.kv_len / 4;
      key_mask_cells[cell] = is_hidden == (*spec.key_mask == Polarity::blocked);
    }
    const std::uint8_t* cells = key_mask_cells.data();
    options.key_mask = *spec.key_mask == Polarity::blocked ? blocked_keys(cells, spec.batch, spec.kv_len)
                                                           : allowed_keys(cells, spec.batch, spec.kv_len);
  }
  if (spec.mask) {
    const Numbers numbers{spec.seed, Stream::mask};
    mask_cells.resize(cell_count("mask", spec.mask_shape));
    for (std::size_t cell = 0; cell < mask_cells.size(); ++cell)
      mask_cells[cell] = numbers.is_hit(cell, spec.hidden_percent) == (*spec.mask == Polarity::blocked);
    const std::uint8_t* cells = mask_cells.data();
    options.mask = *spec.mask == Polarity::blocked ? blocked(cells, spec.mask_shape) : allowed(cells, spec.mask_shape);
  }
}

void Workload::make_heads_and_positions() {
  const std::size_t items = cell_count("lengths", {1, 1, 1, spec.batch});
  const std::size_t heads = cell_count("slopes", {1, 1, 1, spec.q_heads});
  if (spec.has_slopes) {
    for (std::size_t h = 0; h < heads; ++h)  // as ALiBi has them: 2^(-8/heads), 2^(-16/heads), ...
      slopes.push_back(std::exp2(-8.0f * static_cast<float>(h + 1) / static_cast<float>(heads)));
    options.slopes = slopes;
  }
  if (spec.has_sinks) {
    const Numbers numbers{spec.seed, Stream::sinks};
    for (std::size_t h = 0; h < heads; ++h) sinks.push_back(normal(numbers.bits(h)));
    options.sinks = sinks;
  }
  if (spec.has_lengths) {
    const Numbers numbers{spec.seed, Stream::lengths};
    for (std::size_t b = 0; b < items; ++b) lengths.push_back(numbers.between(b, spec.kv_len / 4, spec.kv_len));
    options.lengths = lengths;
  }
  if (!spec.position) return;
  switch (*spec.position) {
    case Position::Kind::top_left: options.position = Position::top_left(); break;
    case Position::Kind::bottom_right: options.position = Position::bottom_right(); break;
    case Position::Kind::offset: options.position = Position::offset(spec.offset); break;
    case Position::Kind::per_batch: {
      const Numbers numbers{spec.seed, Stream::offsets};
      for (std::size_t b = 0; b < items; ++b) {
        const std::int64_t keys = spec.has_lengths ? lengths[b] : spec.kv_len - numbers.between(b, 0, spec.kv_len / 4);
        offsets.push_back(keys - spec.q_len);
      }
      options.position = Position::offsets(offsets);
    }
  }
}

}  // namespace heed::perf
