// SPDX-License-Identifier: Apache-2.0
// The oneDNN side: descriptors, attributes, and the cache. Builds on oneDNN 2.6 and on 3.x.
#include "paths/onednn_primitives.hpp"

#include <bit>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>

namespace heed {

class OneDnnPrimitive {
 public:
  dnnl::primitive primitive;
  dnnl::memory::desc a, b, c;  // softmax: c only
  dnnl::memory::desc bias;     // zero: none
  dnnl::memory::desc scratchpad;
  std::string name;  // of oneDNN's code for a product
};

namespace {

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// ---- what differs between 2.x and 3.x ----

template <class PostOps>
void append_scale(PostOps& operations, float scale) {
  constexpr auto linear = dnnl::algorithm::eltwise_linear;
  if constexpr (requires { operations.append_eltwise(1.0f, linear, scale, 0.0f); })
    operations.append_eltwise(1.0f, linear, scale, 0.0f);
  else
    operations.append_eltwise(linear, scale, 0.0f);
}

template <class Product>
auto describe_product(const OneDnnPrimitive& shape, const dnnl::primitive_attr& attributes) {
  using Descriptor = typename Product::primitive_desc;
  if constexpr (requires { typename Product::desc; })
    return Descriptor(typename Product::desc(shape.a, shape.b, shape.bias, shape.c), attributes, cpu());
  else
    return Descriptor(cpu(), shape.a, shape.b, shape.bias, shape.c, attributes);
}

template <class Softmax>
auto describe_softmax(const dnnl::memory::desc& rows, const dnnl::primitive_attr& attributes) {
  using Descriptor = typename Softmax::primitive_desc;
  constexpr auto inference = dnnl::prop_kind::forward_inference;
  if constexpr (requires { typename Softmax::desc; })
    return Descriptor(typename Softmax::desc(inference, rows, 1), attributes, cpu());
  else
    return Descriptor(cpu(), inference, dnnl::algorithm::softmax_accurate, rows, rows, 1, attributes);
}

// ---- creation ----

// Strict: an environment variable of oneDNN may otherwise let float products run in bfloat16. The caller
// brings the scratchpad: the library's own is shared by what runs on a thread.
dnnl::primitive_attr strict_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// A dimension of size 1 gets the stride that a dense matrix would have: others are taken for a transposed
// one here and there.
dnnl::memory::desc describe(const Matrices& m) {
  const std::int64_t column = m.columns == 1 ? 1 : m.column_stride;
  const std::int64_t row = m.rows == 1 ? (column == 1 ? m.columns : 1) : m.row_stride;
  if (m.count == 1) return {{m.rows, m.columns}, dnnl::memory::data_type::f32, {row, column}};
  return {{m.count, m.rows, m.columns}, dnnl::memory::data_type::f32, {m.count_stride, row, column}};
}

OneDnnHandle create_product(const Matrices& a, const dnnl::memory::desc& b, const Matrices& c, float scale,
                            bool has_bias) {
  auto made = std::make_shared<OneDnnPrimitive>();
  made->a = describe(a);
  made->b = b;
  made->c = describe(c);
  if (has_bias) made->bias = {{1, c.columns}, dnnl::memory::data_type::f32, {c.columns, 1}};
  dnnl::primitive_attr attributes = strict_attributes();
  if (scale != 1.0f) {
    dnnl::post_ops operations;
    append_scale(operations, scale);
    attributes.set_post_ops(operations);
  }
  const auto descriptor = describe_product<dnnl::matmul>(*made, attributes);
  made->name = descriptor.impl_info_str();
  made->scratchpad = descriptor.scratchpad_desc();
  made->primitive = dnnl::matmul(descriptor);
  return made;
}

// Depends on nothing but the two sizes: pack() and every product with what it made must agree.
dnnl::memory::desc packed_layout(std::int64_t inputs, std::int64_t outputs) {
  constexpr std::int64_t few_rows = 16;
  OneDnnPrimitive shape;
  shape.a = describe(dense(1, few_rows, inputs));
  shape.b = {{inputs, outputs}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
  shape.c = describe(dense(1, few_rows, outputs));
  return describe_product<dnnl::matmul>(shape, strict_attributes()).weights_desc();
}

OneDnnHandle create_softmax(std::int64_t rows, std::int64_t columns) {
  auto made = std::make_shared<OneDnnPrimitive>();
  made->c = {{rows, columns}, dnnl::memory::data_type::f32, {columns, 1}};
  const auto descriptor = describe_softmax<dnnl::softmax_forward>(made->c, strict_attributes());
  made->scratchpad = descriptor.scratchpad_desc();
  made->primitive = dnnl::softmax_forward(descriptor);
  return made;
}

// ---- cache ----

using Key = std::array<std::int64_t, 16>;

class Cache {
 public:
  // Creation takes milliseconds and stays outside the lock: two threads may create the same at once, and
  // one of the two is kept.
  template <class Create>
  OneDnnHandle find(const Key& key, Create create) {
    if (OneDnnHandle known = look_up(key)) return known;
    OneDnnHandle made = create();
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return places_[key]->second;
    entries_.emplace_front(key, made);
    places_[key] = entries_.begin();
    if (entries_.size() > most_primitives) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return made;
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  using Entries = std::list<std::pair<Key, OneDnnHandle>>;  // most recently used first

  OneDnnHandle look_up(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  std::mutex mutex_;
  Entries entries_;
  std::map<Key, Entries::iterator> places_;
};

Cache& cache() {
  static Cache cache;
  return cache;
}

dnnl::memory memory_at(const dnnl::memory::desc& descriptor, const void* data) {
  return {descriptor, cpu(), const_cast<void*>(data)};
}

}  // namespace

OneDnnHandle find_product(const Matrices& a, const Matrices& b, const Matrices& c, float scale, bool has_bias) {
  const Key key = {a.count,          a.rows,
                   a.columns,        b.columns,
                   a.count_stride,   a.row_stride,
                   a.column_stride,  b.count_stride,
                   b.row_stride,     b.column_stride,
                   c.count_stride,   c.row_stride,
                   c.column_stride,  std::bit_cast<std::int32_t>(scale),
                   has_bias ? 1 : 0, 0};
  return cache().find(key, [&] { return create_product(a, describe(b), c, scale, has_bias); });
}

OneDnnHandle find_softmax(std::int64_t rows, std::int64_t columns) {
  const Key key = {0, rows, columns};  // no product has a count of 0
  return cache().find(key, [&] { return create_softmax(rows, columns); });
}

std::size_t packed_bytes(std::int64_t inputs, std::int64_t outputs) {
  return packed_layout(inputs, outputs).get_size();
}

void pack(const Matrices& weights, const float* from, std::byte* packed) {
  dnnl::stream stream(cpu());
  dnnl::memory source = memory_at(describe(weights), from);
  dnnl::memory target = memory_at(packed_layout(weights.rows, weights.columns), packed);
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
}

OneDnnHandle find_packed_product(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, bool has_bias) {
  const Key key = {-1, rows, inputs, outputs, has_bias ? 1 : 0};  // no other product has a count of -1
  const OneDnnHandle product = cache().find(key, [&] {
    return create_product(dense(1, rows, inputs), packed_layout(inputs, outputs), dense(1, rows, outputs), 1.0f,
                          has_bias);
  });
  return product->name.starts_with("ref") ? nullptr : product;
}

std::size_t scratchpad_bytes(const OneDnnPrimitive& primitive) { return primitive.scratchpad.get_size(); }

void run_product(const OneDnnPrimitive& product, const float* a, const float* b, float* c, std::byte* scratchpad,
                 const float* bias) {
  dnnl::stream stream(cpu());
  std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_SRC, memory_at(product.a, a)},
                                                     {DNNL_ARG_WEIGHTS, memory_at(product.b, b)},
                                                     {DNNL_ARG_DST, memory_at(product.c, c)},
                                                     {DNNL_ARG_SCRATCHPAD, memory_at(product.scratchpad, scratchpad)}};
  if (bias != nullptr) arguments.emplace(DNNL_ARG_BIAS, memory_at(product.bias, bias));
  product.primitive.execute(stream, arguments);
  stream.wait();
}

void run_softmax(const OneDnnPrimitive& softmax, float* rows, std::byte* scratchpad) {
  dnnl::stream stream(cpu());
  const dnnl::memory memory = memory_at(softmax.c, rows);
  softmax.primitive.execute(stream, {{DNNL_ARG_SRC, memory},
                                     {DNNL_ARG_DST, memory},
                                     {DNNL_ARG_SCRATCHPAD, memory_at(softmax.scratchpad, scratchpad)}});
  stream.wait();
}

StatusCode failure_code() noexcept try {
  std::rethrow_exception(std::current_exception());
} catch (const std::bad_alloc&) {
  return StatusCode::out_of_memory;
} catch (const dnnl::error& error) {
  return error.status == dnnl_out_of_memory ? StatusCode::out_of_memory : StatusCode::unsupported;
} catch (...) {
  return StatusCode::unsupported;
}

std::size_t primitives_kept() { return cache().size(); }

}  // namespace heed
