// SPDX-License-Identifier: Apache-2.0
// A shared dimension takes no room: its neighbours' strides are those of a tensor that has it once.
#include "sweep/storage.hpp"

namespace heed::perf {
namespace {

Storage reordered(const Storage& storage, const Dims& shape, Storage::Order order) {
  const Dims strides = strides_of(storage, shape);
  Dims distinct = shape;
  bool is_shared = false;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (strides[d] == 0 && shape[d] > 1) distinct[d] = 1, is_shared = true;
  if (!is_shared) return {order, {}};
  Storage wanted{Storage::Order::strided, strides_of({order, {}}, distinct)};
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (distinct[d] != shape[d]) wanted.strides[d] = 0;
  return wanted;
}

// Strides of dimensions without a second element say nothing.
bool is_same(const Storage& a, const Storage& b, const Dims& shape) {
  const Dims a_strides = strides_of(a, shape), b_strides = strides_of(b, shape);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && a_strides[d] != b_strides[d]) return false;
  return true;
}

bool lies_in(const Spec& spec, Storage::Order order) {
  const auto is_in = [&](const Storage& storage, const Dims& shape) {
    return is_same(storage, reordered(storage, shape, order), shape);
  };
  return is_in(spec.q, spec.q_shape()) && is_in(spec.k, spec.k_shape()) && is_in(spec.v, spec.v_shape()) &&
         is_in(spec.out, spec.out_shape());
}

}  // namespace

Spec in_storage(Spec spec, Storage::Order order) {
  spec.q = reordered(spec.q, spec.q_shape(), order);
  spec.k = reordered(spec.k, spec.k_shape(), order);
  spec.v = reordered(spec.v, spec.v_shape(), order);
  spec.out = reordered(spec.out, spec.out_shape(), order);
  return spec;
}

std::string storage_name(const Spec& spec) {
  // With one head the two are the same: it is what it was called.
  const auto is_called_bnhd = [](const Storage& storage) { return storage.order == Storage::Order::bnhd; };
  const bool prefers_bnhd =
      is_called_bnhd(spec.q) || is_called_bnhd(spec.k) || is_called_bnhd(spec.v) || is_called_bnhd(spec.out);
  if (prefers_bnhd && lies_in(spec, Storage::Order::bnhd)) return "bnhd";
  if (lies_in(spec, Storage::Order::bhnd)) return "bhnd";
  return lies_in(spec, Storage::Order::bnhd) ? "bnhd" : "mixed";
}

}  // namespace heed::perf
