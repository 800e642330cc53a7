// SPDX-License-Identifier: Apache-2.0
// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (8, 19, 384), }: the small part of Python's
// literals that numpy writes. Called by read_npy() with text that is already in memory.
#include <charconv>

#include "audit/error.hpp"
#include "audit/npy.hpp"

namespace heed::audit {
namespace {

class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string("a key");
      expect(':');
      if (key == "descr") {
        header_.type = type();
        has_type_ = true;
      } else if (key == "fortran_order") {
        refuse_fortran_order();
        has_order_ = true;
      } else if (key == "shape") {
        shape();
        has_shape_ = true;
      } else {
        fail("malformed header: unknown key '" + std::string(key) + "'");
      }
      if (!accept(',') && peek() != '}') fail("malformed header: ',' or '}' is missing");
    }
    if (peek() != '\0') fail("malformed header: text after its dictionary");
    if (!has_type_ || !has_order_ || !has_shape_) fail("malformed header: it must hold descr, fortran_order and shape");
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw Error(name_ + ": " + reason); }

  // The next character that is not padding; '\0' at the end.
  char peek() {
    const std::size_t at = text_.find_first_not_of(std::string_view(" \t\r\n\0", 5));
    text_.remove_prefix(at == std::string_view::npos ? text_.size() : at);
    return text_.empty() ? '\0' : text_.front();
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("malformed header: '") + wanted + "' is missing");
  }

  std::string_view string(const char* what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(std::string("malformed header: ") + what + " is missing");
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("malformed header: a quote is not closed");
    const std::string_view content = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool accept_word(std::string_view word) {
    peek();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  NpyType type() {
    if (peek() == '[') fail("a structured dtype, expected float32, float64, bool, uint8, int32 or int64");
    const std::string_view descr = string("descr");
    if (descr == "<f4") return NpyType::float32;
    if (descr == "<f8") return NpyType::float64;
    if (descr == "|b1") return NpyType::boolean;
    if (descr == "|u1") return NpyType::uint8;
    if (descr == "<i4") return NpyType::int32;
    if (descr == "<i8") return NpyType::int64;
    const std::string shown(descr.substr(0, 32));
    if (descr.starts_with('>')) fail("big-endian dtype '" + shown + "', expected little-endian");
    fail("dtype '" + shown + "', expected float32, float64, bool, uint8, int32 or int64");
  }

  void refuse_fortran_order() {
    if (accept_word("False")) return;
    if (accept_word("True")) fail("Fortran order, expected C order (save numpy.ascontiguousarray of it)");
    fail("malformed header: fortran_order is neither True nor False");
  }

  void shape() {
    header_.shape.clear();
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error == std::errc::result_out_of_range) fail("shape does not fit 64 bits");
      if (error != std::errc{}) fail("malformed header: shape holds something other than whole numbers");
      if (extent < 0) fail("shape holds the negative size " + std::to_string(extent));
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      accept('L');  // Python 2 wrote long integers so
      header_.shape.push_back(extent);
      if (!accept(',') && peek() != ')') fail("malformed header: shape is not closed");
    }
  }

  std::string_view text_;
  const std::string& name_;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name) {
  return Dictionary(text, name).parse();
}

}  // namespace heed::audit
