// SPDX-License-Identifier: Apache-2.0
// Prints a plan and the call it was made for. The spec holds shapes, options and storage, not contents:
//
//   b=2 h=8:2 n=100:1000 d=64:64 scale=0.125 cap=30 bias=1:8:100:1000 slopes sinks key_mask=blocked
//   lengths mask=allowed:1:1:100:1000 position=bottom_right causal window=2:0 lse weights q=bnhd
#include "diagnostics/explain.hpp"

#include <charconv>
#include <cmath>

#include "dispatch/kernel_registry.hpp"

namespace heed {
namespace {

template <class Number>
std::string digits_of(Number number) {
  std::array<char, 48> digits{};
  const std::to_chars_result result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), result.ptr};
}

std::string dims_text(const Dims& dims) {
  return digits_of(dims[0]) + ":" + digits_of(dims[1]) + ":" + digits_of(dims[2]) + ":" + digits_of(dims[3]);
}

// A dimension that broadcasts through stride 0 is a 1 in the spec: it costs and means the same.
Dims distinct_shape(const Dims& shape, const Dims& strides) {
  Dims distinct = shape;
  for (std::size_t d = 0; d < 4; ++d)
    if (strides[d] == 0 && shape[d] > 1) distinct[d] = 1;
  return distinct;
}

bool lies_like(const Dims& strides, const Dims& expected, const Dims& shape) {
  for (std::size_t d = 0; d < 4; ++d)
    if (shape[d] > 1 && strides[d] != expected[d]) return false;
  return true;
}

std::string storage_text(const Dims& shape, const Dims& strides) {
  for (const std::int64_t size : shape)
    if (size == 0) return "bhnd";
  if (lies_like(strides, bhnd_strides(shape[1], shape[2], shape[3]), shape)) return "bhnd";
  if (lies_like(strides, bnhd_strides(shape[1], shape[2], shape[3]), shape)) return "bnhd";
  return dims_text(strides);
}

std::string position_text(const Position& position) {
  switch (position.kind) {
    case Position::Kind::bottom_right: return "bottom_right";
    case Position::Kind::offset: return digits_of(position.value);
    case Position::Kind::per_batch: return "per_batch";
    default: return "top_left";
  }
}

const char* polarity_text(bool true_is_allowed) { return true_is_allowed ? "allowed" : "blocked"; }

class SpecLine {
 public:
  void add(bool is_given, const std::string& token) {
    if (!is_given) return;
    if (!text_.empty()) text_ += ' ';
    text_ += token;
  }
  void add_storage(const char* name, const Dims& shape, const Dims& strides) {
    const std::string storage = storage_text(shape, strides);
    add(storage != "bhnd", std::string(name) + "=" + storage);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string spec_of(const Problem& problem, const Options& options) {
  SpecLine line;
  line.add(true, "b=" + digits_of(problem.batch));
  line.add(true, "h=" + digits_of(problem.q_heads) + ":" + digits_of(problem.kv_heads));
  line.add(true, "n=" + digits_of(problem.q_len) + ":" + digits_of(problem.kv_len));
  line.add(true, "d=" + digits_of(problem.head_dim) + ":" + digits_of(problem.value_dim));
  const bool has_own_scale = problem.scale != 1.0f / std::sqrt(static_cast<float>(problem.head_dim));
  line.add(has_own_scale, "scale=" + digits_of(problem.scale));
  line.add(options.soft_cap != 0.0f, "cap=" + digits_of(options.soft_cap));
  if (options.bias) line.add(true, "bias=" + dims_text(distinct_shape(options.bias->shape, options.bias->strides)));
  line.add(!options.slopes.empty(), "slopes");
  line.add(!options.sinks.empty(), "sinks");
  if (options.key_mask) line.add(true, std::string("key_mask=") + polarity_text(options.key_mask->true_is_allowed));
  line.add(!options.lengths.empty(), "lengths");
  if (options.mask) {
    const Mask& mask = *options.mask;
    line.add(true, std::string("mask=") + polarity_text(mask.true_is_allowed) + ":" +
                       dims_text(distinct_shape(mask.shape, mask.strides)));
  }
  if (options.position) line.add(true, "position=" + position_text(*options.position));
  line.add(options.causal, "causal");
  const auto [left, right] = options.window;
  line.add(left != -1 || right != -1, "window=" + digits_of(left) + ":" + digits_of(right));
  line.add(problem.wants_lse, "lse");
  line.add(problem.wants_weights, "weights");
  line.add_storage("q", {problem.batch, problem.q_heads, problem.q_len, problem.head_dim}, problem.q.strides);
  line.add_storage("k", {problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim}, problem.k.strides);
  line.add_storage("v", {problem.batch, problem.kv_heads, problem.kv_len, problem.value_dim}, problem.v.strides);
  line.add_storage("out", {problem.batch, problem.q_heads, problem.q_len, problem.value_dim}, problem.out.strides);
  return line.text();
}

constexpr std::size_t label_width = 11;

void add_line(std::string& text, std::string label, const std::string& value) {
  label.resize(label_width, ' ');
  text += label + value + '\n';
}

std::string text_of(const Explanation& explanation) {
  std::string text;
  add_line(text, "path", path_name(explanation.path));
  if (!explanation.isa.empty()) {
    add_line(text, "isa", explanation.isa);
    const std::string rows = digits_of(explanation.rows_per_tile), keys = digits_of(explanation.keys_per_tile);
    add_line(text, "tile", rows + " rows x " + keys + " keys");
    if (explanation.key_parts > 1) add_line(text, "key parts", digits_of(explanation.key_parts));
  }
  add_line(text, "threads", digits_of(explanation.threads));
  add_line(text, "scratch", digits_of(explanation.scratch_bytes) + " bytes");
  for (const std::string& reason : explanation.reasons)
    add_line(text, &reason == &explanation.reasons.front() ? "not taken" : "", reason);
  add_line(text, "spec", explanation.spec);
  return text;
}

}  // namespace

Explanation render(const Plan& plan, const Problem& problem, const Options& options) {
  Explanation explanation;
  explanation.path = plan.path;
  if (plan.path == Path::streaming) {
    explanation.isa = isa_name(plan.kernels->isa);
    explanation.rows_per_tile = static_cast<std::int64_t>(plan.tile.rows);
    explanation.keys_per_tile = static_cast<std::int64_t>(plan.tile.keys);
    explanation.key_parts = plan.parts.count;
  }
  explanation.threads = plan.threads;
  explanation.scratch_bytes = plan.scratch_bytes;
  for (const Plan::Reason& reason : plan.reasons)
    if (reason.name != nullptr) explanation.reasons.push_back(std::string(reason.name) + ": " + reason.why);
  explanation.spec = spec_of(problem, options);
  explanation.text = text_of(explanation);
  return explanation;
}

}  // namespace heed
