// SPDX-License-Identifier: Apache-2.0
// The checks that many arguments share. Each answers false after the first mistake, so that calls
// chain with &&, and status() tells it: the argument, what was wanted, what came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "api/overlap.hpp"
#include "heed/attention.hpp"

namespace heed {

// What one dimension has to be, and what messages call it.
struct Wanted {
  enum class Rule { any, exact, one_or_full };
  const char* name;
  Rule rule;
  std::int64_t size;
};
constexpr Wanted any_size(const char* name) { return {name, Wanted::Rule::any, 0}; }
constexpr Wanted exactly(const char* name, std::int64_t size) { return {name, Wanted::Rule::exact, size}; }
constexpr Wanted one_or(const char* name, std::int64_t size) { return {name, Wanted::Rule::one_or_full, size}; }
using WantedShape = std::span<const Wanted>;

// Is out the same memory in the same strides?
bool lies_in_place(const ConstTensor& input, const Tensor& out);

class Checks {
 public:
  explicit Checks(bool needs_data) : needs_data_(needs_data) {}
  const Status& status() const { return status_; }
  bool fail(const Status& status) {
    status_ = status;
    return false;
  }

  bool tensor(const char* name, const ConstTensor& tensor, WantedShape wanted);
  bool output(const char* name, const Tensor& tensor, WantedShape wanted);
  bool array(const Array& array, WantedShape wanted);  // inputs that are not tensors

  // One value per head or batch item.
  template <class Value>
  bool values(const char* name, std::span<const Value> values, const Wanted& count) {
    const auto size = static_cast<std::int64_t>(values.size());
    return value_count(name, size, count) &&
           memory({name, values.data(), {&size, 1}, unit_stride, sizeof(Value)}, Access::read);
  }
  // The same where nothing need be given. A pointer whose count was forgotten is a mistake, not an absent list.
  template <class Value>
  bool optional_values(const char* name, std::span<const Value> given, const Wanted& count) {
    return (given.data() == nullptr && given.empty()) || values(name, given, count);
  }

  // Raw bytes that the call writes.
  bool buffer(const char* name, std::span<std::byte> bytes);

 private:
  static constexpr std::int64_t one = 1;
  static constexpr std::span<const std::int64_t> unit_stride{&one, 1};

  bool dtype(const char* name, DType dtype);
  bool shape(const Array& array, WantedShape wanted);
  bool reach(const Array& array);
  bool writable(const Array& array);
  bool memory(const Array& array, Access access);
  bool value_count(const char* name, std::int64_t size, const Wanted& count);

  bool needs_data_;
  ArgumentMap arguments_;
  Status status_;
};

}  // namespace heed
