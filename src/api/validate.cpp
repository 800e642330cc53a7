// SPDX-License-Identifier: Apache-2.0
// The order of the arguments, and what each has to be. Nothing is written before all of it holds.
#include "api/validate.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>

#include "api/check_scaling.hpp"
#include "api/checks.hpp"
#include "status.hpp"

namespace heed {
namespace {

Sizes sizes_of(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v) {
  return {q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3], v.shape[3]};
}

// The shape of each argument. q, k and v are free in the dimensions that they name.
struct Shapes {
  explicit Shapes(const Sizes& s)
      : q{any_size("batch"), any_size("q_heads"), any_size("q_len"), any_size("head_dim")},
        k{exactly("batch", s.batch), any_size("kv_heads"), any_size("kv_len"), exactly("head_dim", s.head_dim)},
        v{exactly("batch", s.batch), exactly("kv_heads", s.kv_heads), exactly("kv_len", s.kv_len),
          any_size("value_dim")},
        out{exactly("batch", s.batch), exactly("q_heads", s.q_heads), exactly("q_len", s.q_len),
            exactly("value_dim", s.value_dim)},
        pairwise{one_or("batch", s.batch), one_or("q_heads", s.q_heads), one_or("q_len", s.q_len),
                 one_or("kv_len", s.kv_len)},
        key_mask{one_or("batch", s.batch), exactly("kv_len", s.kv_len)},
        lse{exactly("batch", s.batch), exactly("q_heads", s.q_heads), exactly("q_len", s.q_len),
            exactly("one value per row", 1)},
        weights{exactly("batch", s.batch), exactly("q_heads", s.q_heads), exactly("q_len", s.q_len),
                exactly("kv_len", s.kv_len)} {}

  std::array<Wanted, 4> q, k, v, out, pairwise;
  std::array<Wanted, 2> key_mask;
  std::array<Wanted, 4> lse, weights;
};

bool check_heads(Checks& check, const Sizes& sizes) {
  if (sizes.kv_heads == 0 ? sizes.q_heads == 0 : sizes.q_heads % sizes.kv_heads == 0) return true;
  return check.fail(make_status(StatusCode::bad_heads,
                                "k: dimension 1 is %" PRId64 " (kv_heads), expected a divisor of %" PRId64 " (q_heads)",
                                sizes.kv_heads, sizes.q_heads));
}

bool check_scale(Checks& check, const Sizes& sizes, const std::optional<float>& scale) {
  if (!scale && sizes.head_dim == 0)
    return check.fail(
        make_status(StatusCode::bad_value, "scale: not given, expected a finite number since head_dim is 0"));
  if (scale && !std::isfinite(*scale))
    return check.fail(
        make_status(StatusCode::bad_value, "scale: %g, expected a finite number", static_cast<double>(*scale)));
  return true;
}

bool check_soft_cap(Checks& check, float soft_cap) {
  if (std::isfinite(soft_cap) && soft_cap >= 0.0f) return true;
  return check.fail(make_status(StatusCode::bad_value, "soft_cap: %g, expected a finite number, 0 (off) or more",
                                static_cast<double>(soft_cap)));
}

bool check_slopes(Checks& check, const Sizes& sizes, std::span<const float> slopes) {
  if (!check.optional_values("slopes", slopes, exactly("q_heads", sizes.q_heads))) return false;
  if (slopes.data() == nullptr) return true;
  for (std::size_t h = 0; h < slopes.size(); ++h)
    if (!std::isfinite(slopes[h]))
      return check.fail(make_status(StatusCode::bad_value, "slopes: value %zu is %g, expected a finite number", h,
                                    static_cast<double>(slopes[h])));
  return true;
}

bool check_lengths(Checks& check, const Sizes& sizes, std::span<const std::int64_t> lengths) {
  if (!check.optional_values("lengths", lengths, exactly("batch", sizes.batch))) return false;
  if (lengths.data() == nullptr) return true;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0 || lengths[b] > sizes.kv_len)
      return check.fail(make_status(StatusCode::bad_value,
                                    "lengths: value %zu is %" PRId64 ", expected 0 to %" PRId64 " (kv_len)", b,
                                    lengths[b], sizes.kv_len));
  return true;
}

const char* position_user(const Options& options) {
  if (options.causal) return "causal";
  if (options.window.left != -1 || options.window.right != -1) return "window";
  return options.slopes.empty() ? nullptr : "slopes";
}

bool check_position(Checks& check, const Sizes& sizes, const Options& options) {
  if (!options.position) {
    const char* user = position_user(options);
    if (user == nullptr || sizes.q_len == sizes.kv_len) return true;
    return check.fail(
        make_status(StatusCode::position_missing,
                    "position: not given, expected top_left, bottom_right, an offset or one per batch item, since "
                    "%s needs it and q_len %" PRId64 " is not kv_len %" PRId64,
                    user, sizes.q_len, sizes.kv_len));
  }
  switch (options.position->kind) {
    case Position::Kind::top_left:
    case Position::Kind::bottom_right:
    case Position::Kind::offset: return true;
    case Position::Kind::per_batch:
      return check.values("position", options.position->values, exactly("batch", sizes.batch));
  }
  return check.fail(make_status(StatusCode::bad_value,
                                "position: kind is %" PRId32 ", expected 1 (top_left), "
                                "2 (bottom_right), 3 (offset) or 4 (per_batch)",
                                static_cast<std::int32_t>(options.position->kind)));
}

bool check_window(Checks& check, const Window& window) {
  const bool is_left = window.left < -1;
  if (!is_left && window.right >= -1) return true;
  return check.fail(make_status(StatusCode::bad_value, "window: %s is %" PRId64 ", expected -1 (unbounded), 0 or more",
                                is_left ? "left" : "right", is_left ? window.left : window.right));
}

// Names of ISAs and paths that a build or CPU lacks are make_plan()'s to refuse.
bool check_path(Checks& check, const char* name, Path path) {
  switch (path) {
    case Path::automatic:
    case Path::streaming:
    case Path::onednn:
    case Path::reference: return true;
  }
  return check.fail(make_status(StatusCode::unknown_name,
                                "%s: %" PRId32 ", expected 0 (automatic), 1 (streaming), "
                                "2 (onednn) or 3 (reference)",
                                name, static_cast<std::int32_t>(path)));
}

bool check_options(Checks& check, const Sizes& sizes, const Shapes& shapes, const Options& options) {
  const auto& [scale, soft_cap, bias, slopes, sinks, key_mask, lengths, mask, position, causal, window, query_scaling,
               lse, weights, threads, path, isa, scratch] = options;
  return check_scale(check, sizes, scale) && check_soft_cap(check, soft_cap) &&
         (!bias || check.tensor("bias", *bias, shapes.pairwise)) && check_slopes(check, sizes, slopes) &&
         check.optional_values("sinks", sinks, exactly("q_heads", sizes.q_heads)) &&
         (!key_mask ||
          check.array({"key_mask", key_mask->data, key_mask->shape, key_mask->strides, 1}, shapes.key_mask)) &&
         check_lengths(check, sizes, lengths) &&
         (!mask || check.array({"mask", mask->data, mask->shape, mask->strides, 1}, shapes.pairwise)) &&
         check_position(check, sizes, options) && check_window(check, window) &&
         (!query_scaling ||
          check_query_scaling(check, *query_scaling, {sizes.batch, sizes.q_heads, sizes.q_len, sizes.head_dim},
                              std::max<std::int64_t>(sizes.kv_len, 1))) &&
         (!lse || check.output("lse", *lse, shapes.lse)) &&
         (!weights || check.output("weights", *weights, shapes.weights)) && check_threads(check, threads) &&
         check_path(check, "path", path) && check.buffer("scratch", scratch);
}

bool check_inputs(Checks& check, const Sizes& sizes, const Shapes& shapes, const ConstTensor& q, const ConstTensor& k,
                  const ConstTensor& v) {
  return check.tensor("q", q, shapes.q) && check.tensor("k", k, shapes.k) && check_heads(check, sizes) &&
         check.tensor("v", v, shapes.v);
}

// Keys from lengths[b] on may have any index.
bool check_indices(Checks& check, const ClassIndices& classes, std::int64_t count, const Sizes& sizes,
                   std::span<const std::int64_t> lengths) {
  const std::int64_t batch_stride = classes.shape[0] == 1 ? 0 : classes.strides[0];
  const std::int64_t key_stride = classes.shape[1] == 1 ? 0 : classes.strides[1];
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    const std::int64_t keys = lengths.empty() ? sizes.kv_len : lengths[static_cast<std::size_t>(b)];
    for (std::int64_t j = 0; j < keys; ++j) {
      const std::int32_t index = classes.data[b * batch_stride + j * key_stride];
      if (index < 0 || index >= count)
        return check.fail(make_status(StatusCode::bad_value,
                                      "classes: [%" PRId64 ", %" PRId64 "] is %" PRId32 ", expected 0 to %" PRId64
                                      " (out has %" PRId64 " classes)",
                                      b, j, index, count - 1, count));
    }
  }
  return true;
}

bool check_answer_tensors(Checks& check, const Shapes& shapes, const Answer& answer) {
  return check.tensor("out", answer.out, shapes.out) && (!answer.lse || check.tensor("lse", *answer.lse, shapes.lse)) &&
         (!answer.weights || check.tensor("weights", *answer.weights, shapes.weights));
}

}  // namespace

Status validate(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Tensor& out,
                const Options& options, bool needs_data) {
  Checks check(needs_data);
  const Sizes sizes = sizes_of(q, k, v);
  const Shapes shapes(sizes);
  const bool is_valid = check_inputs(check, sizes, shapes, q, k, v) && check.output("out", out, shapes.out) &&
                        check_options(check, sizes, shapes, options);
  return is_valid ? Status{} : check.status();
}

Status validate_classes(const ConstTensor& q, const ConstTensor& k, const ClassIndices& classes, const Tensor& out,
                        const Options& options, bool needs_data) {
  Checks check(needs_data);
  const std::int64_t count = out.shape[3];
  const Sizes sizes = {q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3], count};
  const Shapes shapes(sizes);
  const bool is_valid =
      check.tensor("q", q, shapes.q) && check.tensor("k", k, shapes.k) && check_heads(check, sizes) &&
      check.array({"classes", classes.data, classes.shape, classes.strides, sizeof(std::int32_t)}, shapes.key_mask) &&
      check.output("out", out, shapes.out) &&
      (count > 0 || check.fail(make_status(StatusCode::bad_size,
                                           "out: dimension 3 is 0, expected the number of classes, at least 1"))) &&
      check_options(check, sizes, shapes, options) &&
      (!needs_data || check_indices(check, classes, count, sizes, options.lengths));
  return is_valid ? Status{} : check.status();
}

Status validate_check(const ConstTensor& q, const ConstTensor& k, const ConstTensor& v, const Answer* answer,
                      const Options& options, Path against) {
  Checks check(true);
  const Sizes sizes = sizes_of(q, k, v);
  const Shapes shapes(sizes);
  const bool is_valid = check_inputs(check, sizes, shapes, q, k, v) &&
                        (answer == nullptr || check_answer_tensors(check, shapes, *answer)) &&
                        check_options(check, sizes, shapes, options) && check_path(check, "against", against);
  return is_valid ? Status{} : check.status();
}

bool check_keys_and_values(Checks& check, const Sizes& sizes, const ConstTensor& k, const ConstTensor& v) {
  const Shapes shapes(sizes);
  return check.tensor("k", k, shapes.k) && check_heads(check, sizes) && check.tensor("v", v, shapes.v);
}

bool check_call_options(Checks& check, const Sizes& sizes, const Options& options) {
  return check_options(check, sizes, Shapes(sizes), options);
}

bool check_threads(Checks& check, int threads) {
  if (threads >= 0) return true;
  return check.fail(
      make_status(StatusCode::bad_value, "threads: %d, expected 0 (as many as OpenMP would use) or more", threads));
}

}  // namespace heed
