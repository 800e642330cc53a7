// SPDX-License-Identifier: Apache-2.0
// Reads and prints specs; the grammar is in spec.hpp.
#include "spec.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace heed::perf {
namespace {

// Thrown and caught in this file only: a token's parser is some calls below the loop over tokens.
struct BadToken {
  std::string wanted;
};

template <class Number>
Number parse_number(std::string_view text, const char* wanted) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) throw BadToken{wanted};
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int64_t parse_count(std::string_view text, const char* wanted) {
  const auto count = parse_number<std::int64_t>(text, wanted);
  if (count < 0) throw BadToken{wanted};
  return count;
}

void parse_counts(std::string_view text, const char* wanted, std::int64_t& first, std::int64_t& second) {
  const auto parts = split(text, ':');
  if (parts.size() != 2) throw BadToken{wanted};
  first = parse_count(parts[0], wanted);
  second = parse_count(parts[1], wanted);
}

Dims parse_dims(std::string_view text, const char* wanted) {
  const auto parts = split(text, ':');
  Dims dims{};
  if (parts.size() != dims.size()) throw BadToken{wanted};
  for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = parse_number<std::int64_t>(parts[d], wanted);
  return dims;
}

Dims parse_shape(std::string_view text, const char* wanted) {
  const Dims shape = parse_dims(text, wanted);
  for (const std::int64_t size : shape)
    if (size < 0) throw BadToken{wanted};
  return shape;
}

float parse_real(std::string_view text, const char* wanted) { return parse_number<float>(text, wanted); }

Polarity parse_polarity(std::string_view text, const char* wanted) {
  if (text == "blocked") return Polarity::blocked;
  if (text == "allowed") return Polarity::allowed;
  throw BadToken{wanted};
}

void parse_mask(std::string_view text, Spec& spec) {
  constexpr const char* wanted = "blocked or allowed and four sizes: mask=blocked:1:1:100:1000";
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw BadToken{wanted};
  spec.mask = parse_polarity(text.substr(0, colon), wanted);
  spec.mask_shape = parse_shape(text.substr(colon + 1), wanted);
}

void parse_position(std::string_view text, Spec& spec) {
  if (text == "top_left") {
    spec.position = Position::Kind::top_left;
  } else if (text == "bottom_right") {
    spec.position = Position::Kind::bottom_right;
  } else if (text == "per_batch") {
    spec.position = Position::Kind::per_batch;
  } else {
    spec.offset = parse_number<std::int64_t>(text, "top_left, bottom_right, per_batch or a whole number");
    spec.position = Position::Kind::offset;
  }
}

Storage parse_storage(std::string_view text) {
  if (text == "bhnd") return {Storage::Order::bhnd, {}};
  if (text == "bnhd") return {Storage::Order::bnhd, {}};
  return {Storage::Order::strided, parse_dims(text, "bhnd, bnhd or four strides in elements: q=0:64:512:1")};
}

int parse_percent(std::string_view text) {
  constexpr const char* wanted = "a whole number from 0 to 100";
  const int percent = parse_number<int>(text, wanted);
  if (percent < 0 || percent > 100) throw BadToken{wanted};
  return percent;
}

constexpr std::array<std::string_view, 4> fill_names = {"normal", "large", "equal", "tiny"};

Fill parse_fill(std::string_view text) {
  for (std::size_t index = 0; index < fill_names.size(); ++index)
    if (text == fill_names[index]) return static_cast<Fill>(index);
  throw BadToken{"normal, large, equal or tiny"};
}

void parse_window(std::string_view text, Spec& spec) {
  constexpr const char* wanted = "two bounds, each -1 or more: window=2:0";
  const auto parts = split(text, ':');
  if (parts.size() != 2) throw BadToken{wanted};
  spec.window_left = parse_number<std::int64_t>(parts[0], wanted);
  spec.window_right = parse_number<std::int64_t>(parts[1], wanted);
  if (spec.window_left < -1 || spec.window_right < -1) throw BadToken{wanted};
}

// What a token does to the spec. A token without "=" has has_value false.
struct TokenRow {
  std::string_view name;
  bool has_value;
  void (*apply)(std::string_view value, Spec& spec);
};

constexpr std::size_t required_tokens = 4;
constexpr TokenRow token_rows[] = {
    {"b", true, [](std::string_view t, Spec& s) { s.batch = parse_count(t, "a count, 0 or more"); }},
    {"h", true, [](std::string_view t, Spec& s) { parse_counts(t, "q_heads:kv_heads", s.q_heads, s.kv_heads); }},
    {"n", true, [](std::string_view t, Spec& s) { parse_counts(t, "q_len:kv_len", s.q_len, s.kv_len); }},
    {"d", true, [](std::string_view t, Spec& s) { parse_counts(t, "head_dim:value_dim", s.head_dim, s.value_dim); }},
    {"scale", true, [](std::string_view t, Spec& s) { s.scale = parse_real(t, "a number"); }},
    {"cap", true, [](std::string_view t, Spec& s) { s.soft_cap = parse_real(t, "a number"); }},
    {"bias", true, [](std::string_view t, Spec& s) { s.bias = parse_shape(t, "four sizes: bias=1:8:100:1000"); }},
    {"slopes", false, [](std::string_view, Spec& s) { s.has_slopes = true; }},
    {"sinks", false, [](std::string_view, Spec& s) { s.has_sinks = true; }},
    {"key_mask", true, [](std::string_view t, Spec& s) { s.key_mask = parse_polarity(t, "blocked or allowed"); }},
    {"lengths", false, [](std::string_view, Spec& s) { s.has_lengths = true; }},
    {"mask", true, parse_mask},
    {"position", true, parse_position},
    {"causal", false, [](std::string_view, Spec& s) { s.causal = true; }},
    {"window", true, parse_window},
    {"lse", false, [](std::string_view, Spec& s) { s.wants_lse = true; }},
    {"weights", false, [](std::string_view, Spec& s) { s.wants_weights = true; }},
    {"q", true, [](std::string_view t, Spec& s) { s.q = parse_storage(t); }},
    {"k", true, [](std::string_view t, Spec& s) { s.k = parse_storage(t); }},
    {"v", true, [](std::string_view t, Spec& s) { s.v = parse_storage(t); }},
    {"out", true, [](std::string_view t, Spec& s) { s.out = parse_storage(t); }},
    {"seed", true, [](std::string_view t, Spec& s) { s.seed = parse_number<std::uint64_t>(t, "a whole number"); }},
    {"fill", true, [](std::string_view t, Spec& s) { s.fill = parse_fill(t); }},
    {"hidden", true, [](std::string_view t, Spec& s) { s.hidden_percent = parse_percent(t); }},
    {"bias_hidden", true, [](std::string_view t, Spec& s) { s.bias_hidden_percent = parse_percent(t); }},
    {"key_hidden", true, [](std::string_view t, Spec& s) { s.key_hidden_percent = parse_percent(t); }},
};
constexpr std::size_t token_count = std::size(token_rows);

std::size_t find_token(std::string_view name) {
  for (std::size_t index = 0; index < token_count; ++index)
    if (token_rows[index].name == name) return index;
  std::string wanted = "a token of a spec:";
  for (const TokenRow& row : token_rows) wanted.append(" ").append(row.name).append(row.has_value ? "=" : "");
  throw BadToken{wanted};
}

void apply_token(std::string_view token, std::size_t place, std::array<bool, token_count>& seen, Spec& spec) {
  const std::size_t equals = token.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view name = token.substr(0, equals);
  if (place < required_tokens && name != token_rows[place].name)
    throw BadToken{"b=, h=, n= and d= first, in this order: b=2 h=8:2 n=100:1000 d=64:64"};
  const std::size_t index = find_token(name);
  const TokenRow& row = token_rows[index];
  if (has_value != row.has_value)
    throw BadToken{std::string(row.name) + (row.has_value ? "= with a value" : " without a value")};
  if (seen[index]) throw BadToken{"each token once"};
  seen[index] = true;
  row.apply(has_value ? token.substr(equals + 1) : std::string_view(), spec);
}

struct Printer {
  std::string text{};

  void flag(const char* name, bool is_set) {
    if (is_set) start(name);
  }
  void word(const char* name, std::string_view value) { start(name), text.append("=").append(value); }
  template <class... Numbers>
  void numbers(const char* name, Numbers... values) {
    start(name);
    char separator = '=';
    ((text.push_back(separator), separator = ':', append(values)), ...);
  }
  void dims(const char* name, const Dims& dims) { numbers(name, dims[0], dims[1], dims[2], dims[3]); }
  void storage(const char* name, const Storage& storage) {
    if (storage.order == Storage::Order::bnhd) word(name, "bnhd");
    if (storage.order == Storage::Order::strided) dims(name, storage.strides);
  }
  void start(const char* name) { text.append(text.empty() ? "" : " ").append(name); }
  template <class Number>
  void append(Number value) {
    std::array<char, 48> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), error == std::errc{} ? end : digits.data());
  }
};

const char* polarity_name(Polarity polarity) { return polarity == Polarity::blocked ? "blocked" : "allowed"; }

void print_position(const Spec& spec, Printer& printer) {
  switch (*spec.position) {
    case Position::Kind::top_left: printer.word("position", "top_left"); break;
    case Position::Kind::bottom_right: printer.word("position", "bottom_right"); break;
    case Position::Kind::per_batch: printer.word("position", "per_batch"); break;
    case Position::Kind::offset: printer.numbers("position", spec.offset); break;
  }
}

}  // namespace

std::string parse_spec(std::string_view text, Spec& spec) {
  spec = Spec{};
  std::array<bool, token_count> seen{};
  std::size_t place = 0;
  for (const std::string_view token : split(text, ' ')) {
    if (token.empty()) continue;
    try {
      apply_token(token, place++, seen, spec);
    } catch (const BadToken& bad) {
      return "spec: '" + std::string(token) + "', expected " + bad.wanted;
    }
  }
  if (place < required_tokens)
    return "spec: '" + std::string(text) + "' ends early, expected b=2 h=8:2 n=100:1000 d=64:64 or more";
  return "";
}

std::string to_text(const Spec& spec) {
  Printer printer;
  printer.numbers("b", spec.batch);
  printer.numbers("h", spec.q_heads, spec.kv_heads);
  printer.numbers("n", spec.q_len, spec.kv_len);
  printer.numbers("d", spec.head_dim, spec.value_dim);
  if (spec.scale) printer.numbers("scale", *spec.scale);
  if (spec.soft_cap != 0.0f) printer.numbers("cap", spec.soft_cap);
  if (spec.bias) printer.dims("bias", *spec.bias);
  printer.flag("slopes", spec.has_slopes);
  printer.flag("sinks", spec.has_sinks);
  if (spec.key_mask) printer.word("key_mask", polarity_name(*spec.key_mask));
  printer.flag("lengths", spec.has_lengths);
  if (spec.mask) {
    printer.word("mask", polarity_name(*spec.mask));
    for (const std::int64_t size : spec.mask_shape) printer.text.append(":").append(std::to_string(size));
  }
  if (spec.position) print_position(spec, printer);
  printer.flag("causal", spec.causal);
  if (spec.window_left != -1 || spec.window_right != -1) printer.numbers("window", spec.window_left, spec.window_right);
  printer.flag("lse", spec.wants_lse);
  printer.flag("weights", spec.wants_weights);
  printer.storage("q", spec.q);
  printer.storage("k", spec.k);
  printer.storage("v", spec.v);
  printer.storage("out", spec.out);
  const Spec defaults;
  if (spec.seed != defaults.seed) printer.numbers("seed", spec.seed);
  if (spec.fill != defaults.fill) printer.word("fill", fill_names[static_cast<std::size_t>(spec.fill)]);
  if (spec.hidden_percent != defaults.hidden_percent) printer.numbers("hidden", spec.hidden_percent);
  if (spec.bias_hidden_percent != defaults.bias_hidden_percent)
    printer.numbers("bias_hidden", spec.bias_hidden_percent);
  if (spec.key_hidden_percent) printer.numbers("key_hidden", *spec.key_hidden_percent);
  return printer.text;
}

Dims strides_of(const Storage& storage, const Dims& shape) {
  switch (storage.order) {
    case Storage::Order::bhnd: return bhnd_strides(shape[1], shape[2], shape[3]);
    case Storage::Order::bnhd: return bnhd_strides(shape[1], shape[2], shape[3]);
    case Storage::Order::strided: break;
  }
  return storage.strides;
}

}  // namespace heed::perf
