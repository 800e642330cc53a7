// SPDX-License-Identifier: Apache-2.0
// Many (batch, head) pairs, offsets beyond 32 bits, and lengths whose score matrix would not fit.
#include <doctest/doctest.h>

#include <sys/mman.h>

#include <fstream>
#include <string>

#include "support/checked_call.hpp"
#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/run_options.hpp"

namespace heed::tests {
namespace {

// Address space without memory: pages appear as they are touched.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes) : bytes_(bytes) {
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(map != MAP_FAILED);
    data_ = static_cast<std::byte*>(map);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() { munmap(data_, bytes_); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

// Largest resident size since it was last reset, in bytes.
std::int64_t peak_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (std::int64_t kib = 0; word == "VmHWM:" && file >> kib) return kib * 1024;
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

constexpr std::int64_t far = (std::int64_t{1} << 31) + 64;  // elements

// Tensors of shape [2, 2, 3, width] whose batch items, heads or tokens lie 2^31 elements apart.
Dims far_strides(std::size_t dimension, std::int64_t width) {
  Dims strides = {6 * width, 3 * width, width, 1};
  strides[dimension] = far;
  return strides;
}

}  // namespace

TEST_CASE("more than 65,536 (batch, head) pairs") {
  CHECK_EQ(run_spec_everywhere("b=8200 h=8:8 n=1:3 d=4:4", {1, 2}), "");
}

TEST_CASE("offsets beyond 2^31 elements, in every tensor and dimension") {
  constexpr std::int64_t width = 8;
  for (const std::size_t dimension : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const Dims shape = {2, 2, 3, width}, strides = far_strides(dimension, width);
    const Dims weights_shape = {2, 2, 3, 3}, weights_strides = far_strides(dimension, 3);
    const std::size_t bytes = static_cast<std::size_t>(2 * far + 1000) * sizeof(float);
    const SparseMemory q_memory(bytes), k_memory(bytes), v_memory(bytes), out_memory(bytes), lse_memory(bytes),
        weights_memory(bytes), bias_memory(bytes), mask_memory(bytes);
    Random random(run_options().seed);
    const auto fill_far = [&](const SparseMemory& memory) {
      const ConstTensor tensor{memory.as<float>(), shape, strides};
      for_each_element(shape, [&](auto b, auto h, auto n, auto c) {
        memory.as<float>()[element_offset(shape, strides, {b, h, n, c})] = random.normal();
      });
      return tensor;
    };
    const ConstTensor q = fill_far(q_memory), k = fill_far(k_memory), v = fill_far(v_memory);
    const Tensor out{out_memory.as<float>(), shape, strides};
    Options options;
    for_each_element(weights_shape, [&](auto... index) {
      const std::int64_t offset = element_offset(weights_shape, weights_strides, {index...});
      bias_memory.as<float>()[offset] = random.normal();
      mask_memory.as<std::uint8_t>()[offset] = random.chance(0.2) ? 1 : 0;
    });
    options.bias = ConstTensor{bias_memory.as<float>(), weights_shape, weights_strides};
    options.mask = blocked(mask_memory.as<std::uint8_t>(), weights_shape);
    options.mask->strides = weights_strides;
    const Oracle oracle(q, k, v, options);
    options.lse = Tensor{lse_memory.as<float>(), {2, 2, 3, 1}, far_strides(dimension, 1)};
    options.weights = Tensor{weights_memory.as<float>(), weights_shape, weights_strides};
    for_each_way([&](const Way& way) {
      options.path = way.path;
      options.isa = way.isa;
      const Status status = attention(q, k, v, out, options);
      REQUIRE_EQ(std::string(status.message()), "");
      Comparison comparison(way.text()), lse(way.text()), weights(way.text());
      for_each_element({2, 2, 3, 1}, [&](auto b, auto h, auto i, auto) {
        const RowAnswer answer = oracle.row(b, h, i);
        for (std::int64_t c = 0; c < width; ++c)
          comparison.add({b, h, i, c}, static_cast<double>(element(out, b, h, i, c)),
                         answer.out[static_cast<std::size_t>(c)], 4e-6);
        lse.add({b, h, i, 0}, static_cast<double>(element(*options.lse, b, h, i, 0)), answer.lse, 4e-6);
        for (std::int64_t j = 0; j < 3; ++j)
          weights.add({b, h, i, j}, static_cast<double>(element(*options.weights, b, h, i, j)),
                      answer.weights[static_cast<std::size_t>(j)], 4e-6);
      });
      CAPTURE(dimension);
      CHECK_EQ(comparison.text() + lse.text() + weights.text(), "");
    });
  }
}

TEST_CASE("20,000 queries and keys need no memory for scores" * doctest::test_suite("slow")) {
  perf::Spec spec;
  REQUIRE_EQ(perf::parse_spec("b=1 h=1:1 n=20000:20000 d=16:16", spec), "");
  const perf::Workload workload(spec);
  Options options;
  options.path = Path::streaming;
  options.threads = 2;
  reset_peak();
  const std::int64_t before = peak_bytes();
  REQUIRE(attention(workload.q, workload.k, workload.v, workload.out, options).ok());
  CHECK(peak_bytes() - before < 16 << 20);  // the scores alone would be 1.6 GB
}

}  // namespace heed::tests
