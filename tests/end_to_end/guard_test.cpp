// SPDX-License-Identifier: Apache-2.0
// Every input and output against an unmapped page, on either side; and keys outside the hull of what
// rows may see, unmapped.
#include <doctest/doctest.h>

#include <string>

#include "support/checked_call.hpp"
#include "support/compare.hpp"

namespace heed::tests {
namespace {

constexpr const char* specs[] = {
    "b=1 h=1:1 n=1:1 d=1:1",
    "b=2 h=2:1 n=5:7 d=3:5",
    "b=1 h=2:2 n=26:199 d=17:9",
    ("b=2 h=4:2 n=25:195 d=64:64 bias=2:4:25:195 slopes sinks lengths mask=blocked:2:4:25:195 key_mask=blocked "
     "position=per_batch causal"),
    "b=2 h=2:2 n=3:37 d=16:16 bias=2:1:3:1 mask=allowed:1:2:1:37 hidden=20",
    "b=2 h=2:2 n=3:37 d=16:16 bias=1:2:1:37 mask=blocked:2:1:3:1",
    "b=1 h=3:3 n=25:98 d=20:12 q=bnhd k=bnhd v=bnhd out=bnhd",
    "b=1 h=2:2 n=25:98 d=20:12 q=1040:520:-20:1 k=3920:1960:40:2 v=2352:1176:24:2 out=1500:750:30:2",
    "b=1 h=1:1 n=30:130 d=32:32 position=bottom_right causal window=40:0",
};

template <class T>
GuardedBuffer<T> copy_of(const T* data, std::size_t count, Edge edge) {
  GuardedBuffer<T> buffer(count, edge);
  std::copy_n(data, count, buffer.data());
  return buffer;
}

GuardedTensor copy_of(const ConstTensor& tensor, Edge edge) {
  GuardedTensor copy(tensor.shape, tensor.strides, edge);
  for_each_element(tensor.shape, [&](auto... index) { copy.at(index...) = element(tensor, index...); });
  return copy;
}

// A workload's call with every array at an unmapped page.
struct GuardedCall {
  GuardedCall(const perf::Workload& workload, Edge edge)
      : call(call_of(workload)),
        q(copy_of(call.q, edge)),
        k(copy_of(call.k, edge)),
        v(copy_of(call.v, edge)),
        mask(copy_of(workload.mask_cells.data(), workload.mask_cells.size(), edge)),
        key_mask(copy_of(workload.key_mask_cells.data(), workload.key_mask_cells.size(), edge)),
        slopes(copy_of(workload.slopes.data(), workload.slopes.size(), edge)),
        sinks(copy_of(workload.sinks.data(), workload.sinks.size(), edge)),
        lengths(copy_of(workload.lengths.data(), workload.lengths.size(), edge)),
        offsets(copy_of(workload.offsets.data(), workload.offsets.size(), edge)) {
    call.q = q.tensor();
    call.k = k.tensor();
    call.v = v.tensor();
    Options& options = call.options;
    if (options.bias) {
      bias = copy_of(*options.bias, edge);
      options.bias = bias.tensor();
    }
    if (options.mask) options.mask->data = mask.data();
    if (options.key_mask) options.key_mask->data = key_mask.data();
    if (slopes.size() > 0) options.slopes = slopes.values();
    if (sinks.size() > 0) options.sinks = sinks.values();
    if (lengths.size() > 0) options.lengths = lengths.values();
    if (offsets.size() > 0) options.position = Position::offsets(offsets.values());
  }

  Call call;
  GuardedTensor q, k, v, bias;
  GuardedBuffer<std::uint8_t> mask, key_mask;
  GuardedBuffer<float> slopes, sinks;
  GuardedBuffer<std::int64_t> lengths, offsets;
};

struct Keys {
  std::int64_t begin = 0, end = 0;
};

// Tokens of one KV head, each on a page of its own, some of them unmapped.
class PagedTokens {
 public:
  PagedTokens(std::int64_t tokens, std::int64_t channels, Keys mapped)
      : page_floats_(sysconf(_SC_PAGESIZE) / static_cast<std::int64_t>(sizeof(float))),
        bytes_(static_cast<std::size_t>(tokens * page_floats_) * sizeof(float)) {
    void* map = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(map != MAP_FAILED);
    data_ = static_cast<float*>(map);
    for (std::int64_t j = 0; j < tokens; ++j) {
      float* const token = data_ + j * page_floats_;
      if (j < mapped.begin || j >= mapped.end) {
        REQUIRE_EQ(mprotect(token, static_cast<std::size_t>(page_floats_) * sizeof(float), PROT_NONE), 0);
        continue;
      }
      for (std::int64_t c = 0; c < channels; ++c) token[c] = static_cast<float>((j * 7 + c * 3) % 11) / 8.0f;
    }
    tensor_ = {data_, {1, 1, tokens, channels}, {tokens * page_floats_, tokens * page_floats_, page_floats_, 1}};
  }
  PagedTokens(const PagedTokens&) = delete;
  PagedTokens& operator=(const PagedTokens&) = delete;
  ~PagedTokens() { munmap(data_, bytes_); }
  const ConstTensor& tensor() const { return tensor_; }

 private:
  std::int64_t page_floats_;
  std::size_t bytes_;
  float* data_ = nullptr;
  ConstTensor tensor_;
};

}  // namespace

TEST_CASE("arrays that end or begin at an unmapped page give the same bits as others") {
  for (const char* text : specs) {
    perf::Spec spec;
    REQUIRE_EQ(perf::parse_spec(text, spec), "");
    const perf::Workload workload(spec);
    const CheckedCall checked(call_of(workload));
    for (const Edge edge : {Edge::begin, Edge::end}) {
      const GuardedCall guarded(workload, edge);
      for_each_way([&](const Way& way) {
        CAPTURE(std::string(text));
        CAPTURE(way.text());
        const Outputs outputs = run_call(guarded.call, way, 2, true, edge);
        CHECK_EQ(checked.check(outputs, way.text()), "");
        const Outputs plain = run_call(checked.call(), way, 1, true);
        CHECK_EQ(first_difference("out", outputs.out.values(), plain.out.values()), "");
        CHECK_EQ(first_difference("weights", outputs.weights.values(), plain.weights.values()), "");
      });
    }
  }
}

TEST_CASE("keys outside the hull of what rows may see are not read") {
  constexpr std::int64_t kv_len = 250, q_len = 30;
  std::vector<std::uint8_t> padding(kv_len, 1);
  std::fill(padding.begin() + 100, padding.begin() + 230, std::uint8_t{0});
  const std::int64_t lengths[] = {97}, no_length[] = {0};
  struct Row {
    const char* name;
    Options options;
    Keys visible;
  };
  const Row rows[] = {
      {"causal", {.position = Position::offset(60), .causal = true}, {0, 90}},
      {"causal before the first key", {.position = Position::offset(-50), .causal = true}, {0, 0}},
      {"window", {.position = Position::offset(100), .window = {20, 5}}, {80, 135}},
      {"window past the last key", {.position = Position::offset(500), .window = {20, 5}}, {0, 0}},
      {"lengths", {.lengths = lengths}, {0, 97}},
      {"lengths of 0", {.lengths = no_length}, {0, 0}},
      {"leading and trailing key padding", {.key_mask = blocked_keys(padding.data(), 1, kv_len)}, {100, 230}},
      {"all of them",
       {.key_mask = blocked_keys(padding.data(), 1, kv_len),
        .position = Position::offset(120),
        .causal = true,
        .window = {15, 0}},
       {105, 150}},
  };
  const std::vector<float> q(q_len * 16, 0.25f);
  for (const Row& row : rows) {
    const PagedTokens k(kv_len, 16, row.visible), v(kv_len, 8, row.visible);
    const PagedTokens all_k(kv_len, 16, {0, kv_len}), all_v(kv_len, 8, {0, kv_len});
    const Call call{bhnd(q.data(), 1, 1, q_len, 16), k.tensor(), v.tensor(), row.options};
    const Call mapped{call.q, all_k.tensor(), all_v.tensor(), row.options};
    for_each_way([&](const Way& way) {
      CAPTURE(std::string(row.name));
      CAPTURE(way.text());
      const Outputs outputs = run_call(call, way, 1, true);
      CHECK_EQ(CheckedCall(mapped).check(outputs, way.text()), "");
    });
  }
}

}  // namespace heed::tests
