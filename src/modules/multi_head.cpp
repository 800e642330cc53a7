// SPDX-License-Identifier: Apache-2.0
// Projections, norms, rotation, and the one attention call, for some batch items at a time.
#include "heed/multi_head.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "modules/check_multi_head.hpp"
#include "modules/options_slice.hpp"
#include "modules/rms_norm.hpp"
#include "paths/linear.hpp"
#include "paths/parallel_for.hpp"
#include "status.hpp"

namespace heed {
namespace {

// Batch items at a time: as many as have this many tokens, so that what one step leaves is in a cache when the next
// one reads it (4096 tokens of 128 channels are 2 MiB), and threads have enough to share.
constexpr std::int64_t tokens_at_a_time = 4096;

// One call. Without a context, k and v are the caller's.
struct Request {
  const MultiHeadAttention& module;
  const ConstTensor& x;
  const ConstTensor* context;
  ConstTensor k, v;
  const Tensor& out;
  const Options& options;
  Sizes sizes;
};

// Is every batch item the same memory, with positions that are the same too?
bool is_shared(const ConstTensor& tokens, std::span<const std::int64_t> positions) {
  return tokens.shape[0] > 1 && tokens.strides[0] == 0 &&
         static_cast<std::int64_t>(positions.size()) <= tokens.shape[2];
}
std::span<const std::int64_t> query_positions(const MultiHeadAttention& module) {
  return module.rotation ? module.rotation->query_positions : std::span<const std::int64_t>{};
}
std::span<const std::int64_t> key_positions(const MultiHeadAttention& module) {
  return module.rotation ? module.rotation->key_positions : std::span<const std::int64_t>{};
}

// Memory of a block of batch items, one part after the other. Without an address it only counts.
class Workspace {
 public:
  explicit Workspace(std::byte* memory) : memory_(memory) {}
  std::byte* take(std::int64_t bytes) {
    constexpr std::int64_t alignment = 64;
    const std::int64_t begin = used_;
    used_ += (bytes + alignment - 1) / alignment * alignment;
    return memory_ == nullptr ? nullptr : memory_ + begin;
  }
  // As a projection leaves it.
  Tensor tensor(bool is_shared, std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t channels) {
    const std::int64_t items = is_shared ? 1 : batch;
    const std::int64_t bytes = items * heads * tokens * channels * static_cast<std::int64_t>(sizeof(float));
    Tensor result = bnhd(reinterpret_cast<float*>(take(bytes)), batch, heads, tokens, channels);
    if (is_shared) result.strides[0] = 0;
    return result;
  }
  std::int64_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::int64_t used_ = 0;
};

std::int64_t items_at_a_time(const Sizes& sizes) {
  const std::int64_t tokens = std::max({sizes.q_len, sizes.kv_len, std::int64_t{1}});
  return std::clamp<std::int64_t>(tokens_at_a_time / tokens, 1, std::max<std::int64_t>(sizes.batch, 1));
}

// What one block of batch items is worked on in.
struct Block {
  Block(const Request& request, std::byte* memory) : workspace(memory) {
    const Sizes& s = request.sizes;
    const std::int64_t items = items_at_a_time(s);
    q = workspace.tensor(is_shared(request.x, query_positions(request.module)), items, s.q_heads, s.q_len, s.head_dim);
    if (request.context != nullptr) {
      const bool shared = is_shared(*request.context, key_positions(request.module));
      k = workspace.tensor(shared, items, s.kv_heads, s.kv_len, s.head_dim);
      v = workspace.tensor(shared, items, s.kv_heads, s.kv_len, s.value_dim);
    }
    attended = workspace.tensor(false, items, s.q_heads, s.q_len, s.value_dim);
  }
  Workspace workspace;
  Tensor q, k, v, attended;
};

LinearJob job_of(const Linear& linear, const ConstTensor& x, const Tensor& y) {
  return {input_view(x), output_view(y), y.shape[0],           y.shape[2],          y.shape[1],         y.shape[3],
          linear.inputs, linear.weights, linear.output_stride, linear.input_stride, linear.bias.data(), linear.packed};
}

// Norm and rotation of projected heads, in place.
Status finish_heads(const Tensor& heads, const RmsNorm& norm, const std::optional<HeadRotation>& rotation,
                    const RotaryOptions& options) {
  if (!norm.weights.empty())
    run_rms_norm({output_view(heads), heads.shape[0], heads.shape[1], heads.shape[2], heads.shape[3],
                  norm.weights.data(), norm.epsilon},
                 options.threads);
  return rotation ? rotate(heads, rotation->table, heads, options) : Status{};
}
RotaryOptions query_rotation(const MultiHeadAttention& module, const BatchRange& range, const Sizes& sizes,
                             int threads) {
  if (!module.rotation) return {.threads = threads};
  return {module.rotation->pairs, module.rotation->first_query,
          values_for(module.rotation->query_positions, range, sizes.batch, sizes.q_len), threads};
}
RotaryOptions key_rotation(const MultiHeadAttention& module, const BatchRange& range, const Sizes& sizes, int threads) {
  if (!module.rotation) return {.threads = threads};
  return {module.rotation->pairs, module.rotation->first_key,
          values_for(module.rotation->key_positions, range, sizes.batch, sizes.kv_len), threads};
}

// The tensor without the items that repeat its first.
Tensor distinct(Tensor tensor) {
  if (tensor.strides[0] == 0) tensor.shape[0] = std::min<std::int64_t>(tensor.shape[0], 1);
  return tensor;
}

int thread_count(int threads) { return threads > 0 ? threads : caller_threads(); }

class ModuleRun {
 public:
  ModuleRun(const Request& request, std::span<std::byte> memory)
      : request_(request),
        block_(request, memory.data()),
        attention_scratch_(memory.subspan(static_cast<std::size_t>(block_.workspace.used()))),
        threads_(thread_count(request.options.threads)) {}

  Status run() {
    const Sizes& sizes = request_.sizes;
    const std::int64_t step = items_at_a_time(sizes);
    for (std::int64_t begin = 0; begin < sizes.batch; begin += step)
      if (Status status = run_items({begin, std::min(step, sizes.batch - begin)}); !status.ok()) return status;
    return {};
  }

 private:
  // What all items share is there from the first block on.
  static bool is_due(const Tensor& projected, const BatchRange& range) {
    return projected.strides[0] != 0 || range.begin == 0;
  }

  Status run_items(const BatchRange& range) {
    const auto& [module, x, context, given_k, given_v, out, options, sizes] = request_;
    const BatchRange within{0, range.count};
    const Tensor q = items_of(block_.q, within), attended = items_of(block_.attended, within);
    const bool has_queries = is_due(q, range);
    const bool has_keys = context != nullptr && is_due(block_.k, range);
    const Tensor own_k = items_of(block_.k, within), own_v = items_of(block_.v, within);

    std::array<LinearJob, 3> jobs;
    std::size_t count = 0;
    if (has_queries) jobs[count++] = job_of(module.w_q, items_of(x, range), distinct(q));
    if (has_keys) {
      jobs[count++] = job_of(module.w_k, items_of(*context, range), distinct(own_k));
      jobs[count++] = job_of(module.w_v, items_of(*context, range), distinct(own_v));
    }
    run_linear({jobs.data(), count}, threads_);
    Status status;
    if (has_queries)
      status =
          finish_heads(distinct(q), module.q_norm, module.rotation, query_rotation(module, range, sizes, threads_));
    if (has_keys && status.ok())
      status =
          finish_heads(distinct(own_k), module.k_norm, module.rotation, key_rotation(module, range, sizes, threads_));
    if (!status.ok()) return status;

    Options of_items = options_for(options, range, sizes.batch, sizes.q_len);
    of_items.scratch = attention_scratch_;
    const ConstTensor k = context != nullptr ? own_k : items_of(given_k, range);
    const ConstTensor v = context != nullptr ? own_v : items_of(given_v, range);
    if (status = attention(q, k, v, attended, of_items); !status.ok()) return status;
    const ConstTensor rows =
        bnhd(static_cast<const float*>(attended.data), range.count, 1, sizes.q_len, sizes.q_heads * sizes.value_dim);
    const LinearJob output = job_of(module.w_o, rows, items_of(out, range));
    run_linear({&output, 1}, threads_);
    return {};
  }

  const Request& request_;
  Block block_;
  std::span<std::byte> attention_scratch_;
  int threads_;
};

// The attention call of the first and of the last block, without memory of their own.
Status bytes_needed(const Request& request, std::size_t& bytes) {
  const Block block(request, nullptr);
  const Sizes& sizes = request.sizes;
  const std::int64_t step = items_at_a_time(sizes);
  std::size_t attention_bytes = 0;
  for (const std::int64_t count : {std::min(step, sizes.batch), sizes.batch % step}) {
    if (count == 0) continue;
    const BatchRange range{0, count};
    Options options = options_for(request.options, range, sizes.batch, sizes.q_len);
    options.scratch = {};
    const ConstTensor k = request.context != nullptr ? items_of(block.k, range) : items_of(request.k, range);
    const ConstTensor v = request.context != nullptr ? items_of(block.v, range) : items_of(request.v, range);
    std::size_t of_block = 0;
    if (Status status =
            scratch_size(items_of(block.q, range), k, v, items_of(block.attended, range), options, of_block);
        !status.ok())
      return status;
    attention_bytes = std::max(attention_bytes, of_block);
  }
  bytes = static_cast<std::size_t>(block.workspace.used()) + attention_bytes;
  return {};
}

Status run(const Request& request) {
  std::size_t bytes = 0;
  if (Status status = bytes_needed(request, bytes); !status.ok()) return status;
  std::span<std::byte> memory = request.options.scratch;
  std::unique_ptr<std::byte[]> own;
  if (memory.data() == nullptr) {
    own.reset(new (std::nothrow) std::byte[bytes]);
    if (own == nullptr)
      return make_status(StatusCode::out_of_memory, "scratch: %zu bytes could not be allocated", bytes);
    memory = {own.get(), bytes};
  }
  if (memory.size() < bytes)
    return make_status(StatusCode::scratch_too_small, "scratch: %zu bytes, expected at least %zu", memory.size(),
                       bytes);
  return ModuleRun(request, memory).run();
}

}  // namespace

Status multi_head_attention(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& context,
                            const Tensor& out, const Options& options) noexcept {
  Sizes sizes{};
  if (Status status = check_module(module, x, context, out, options, true, sizes); !status.ok()) return status;
  return run({module, x, &context, {}, {}, out, options, sizes});
}

Status multi_head_scratch_size(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& context,
                               const Tensor& out, const Options& options, std::size_t& bytes) noexcept {
  Sizes sizes{};
  if (Status status = check_module(module, x, context, out, options, false, sizes); !status.ok()) return status;
  return bytes_needed({module, x, &context, {}, {}, out, options, sizes}, bytes);
}

Status project_kv(const MultiHeadAttention& module, const ConstTensor& context, const Tensor& k, const Tensor& v,
                  int threads) noexcept {
  if (Status status = check_project_kv(module, context, k, v, threads); !status.ok()) return status;
  const LinearJob jobs[] = {job_of(module.w_k, context, k), job_of(module.w_v, context, v)};
  run_linear(jobs, thread_count(threads));
  const Sizes sizes{context.shape[0], 0, k.shape[1], 0, context.shape[2], k.shape[3], v.shape[3]};
  return finish_heads(k, module.k_norm, module.rotation, key_rotation(module, {0, sizes.batch}, sizes, threads));
}

Status attend(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k, const ConstTensor& v,
              const Tensor& out, const Options& options) noexcept {
  Sizes sizes{};
  if (Status status = check_attend(module, x, k, v, out, options, true, sizes); !status.ok()) return status;
  return run({module, x, nullptr, k, v, out, options, sizes});
}

Status attend_scratch_size(const MultiHeadAttention& module, const ConstTensor& x, const ConstTensor& k,
                           const ConstTensor& v, const Tensor& out, const Options& options,
                           std::size_t& bytes) noexcept {
  Sizes sizes{};
  if (Status status = check_attend(module, x, k, v, out, options, false, sizes); !status.ok()) return status;
  return bytes_needed({module, x, nullptr, k, v, out, options, sizes}, bytes);
}

}  // namespace heed
