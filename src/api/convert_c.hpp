// SPDX-License-Identifier: Apache-2.0
// Between the structs of the C API and the types of the C++ API. Checks only what C++ types can't get
// wrong: null struct pointers, struct sizes, polarities.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "heed/attention.h"
#include "heed/attention.hpp"
#include "status.hpp"

namespace heed {

// The C++ arguments of one C call.
struct Arguments {
  ConstTensor q, k, v;
  Tensor out;
  Options options;
};
Status convert(const heed_const_tensor* q, const heed_const_tensor* k, const heed_const_tensor* v,
               const heed_tensor* out, const heed_options* options, Arguments& call);

Status convert(const heed_options* given, Options& result);  // null: none given
ConstTensor convert(const heed_const_tensor& tensor);
Tensor convert(const heed_tensor& tensor);
heed_const_tensor convert(const ConstTensor& tensor);
heed_tensor convert(const Tensor& tensor);
heed_mask convert(const Mask& mask);
heed_key_mask convert(const KeyMask& mask);
Status convert(const heed_query_scaling& scaling, QueryScaling& result);

// Structs that the call needs, by name.
Status need_structs(std::initializer_list<std::pair<const char*, const void*>> pointers);

// A negative count becomes one that no size equals; validate() then says so.
template <class Value>
std::span<const Value> list(const Value* values, std::int64_t count) {
  return {values, static_cast<std::size_t>(count)};
}

// A struct that starts with its own size, as far as both sides know it; the rest is zero. `initialiser`
// is the function that sets the size.
template <class Struct>
Status read_sized(const char* name, const char* initialiser, const Struct& given, Struct& result) {
  constexpr std::size_t largest = 4096;  // no version's struct: the struct was never initialised
  const std::size_t size = given.size;
  if (size < sizeof(size) || size > largest)
    return make_status(StatusCode::bad_size, "%s: size is %zu, expected what %s() sets", name, size, initialiser);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (std::size_t index = sizeof(Struct); index < size; ++index)
    if (bytes[index] != 0)
      return make_status(StatusCode::unsupported, "%s: byte %zu of %zu is set, expected 0: heed %s knows %zu bytes",
                         name, index, size, version(), sizeof(Struct));
  std::memcpy(&result, &given, std::min(size, sizeof(Struct)));
  return {};
}

}  // namespace heed
