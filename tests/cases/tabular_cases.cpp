// SPDX-License-Identifier: Apache-2.0
// Goldens of tabular models: each attention call that one lists becomes a case, and so does each call with its
// queries as they were before scaling. tests/data/README.md says what becomes what.
#include "cases/tabular_cases.hpp"

#include <algorithm>

#include "cases/read_cases.hpp"

namespace heed::tests {
namespace {

// Tokens [first, last) and the first heads of a tensor stored as [batch, tokens, heads, channels]; batch and heads
// of 1 are repeated.
template <class T>
Values<T> logical(const Stored& stored, std::int64_t first, std::int64_t last, std::int64_t batch, std::int64_t heads) {
  if (stored.shape.size() != 4) throw BadCase("expected rank 4");
  const std::int64_t tokens = stored.shape[1], stored_heads = stored.shape[2], channels = stored.shape[3];
  if (first < 0 || last > tokens || first > last) throw BadCase("q_rows: beyond the tokens");
  Values<T> values{{batch, heads, last - first, channels}, {}};
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t n = first; n < last; ++n)
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t item = stored.shape[0] == 1 ? 0 : b, head = stored_heads == 1 ? 0 : h;
          values.data.push_back(static_cast<T>(
              stored.data[static_cast<std::size_t>(((item * tokens + n) * stored_heads + head) * channels + c)]));
        }
  return values;
}

void read_masks(const Golden& golden, const Json& call, Case& result) {
  if (call.contains("key_blocked")) {
    const Stored keys = golden.need(call["key_blocked"].get<std::string>());
    result.key_mask = CaseMask{{{keys.shape.at(0), keys.shape.at(1), 1, 1}, cells<std::uint8_t>(keys)}, false};
  }
  if (call.contains("pair_blocked")) {
    const Stored pairs = golden.need(call["pair_blocked"].get<std::string>());
    result.mask = CaseMask{{{1, 1, pairs.shape.at(0), pairs.shape.at(1)}, cells<std::uint8_t>(pairs)}, false};
  }
  if (call.contains("key_bias")) {
    const Stored bias = golden.need(call["key_bias"].get<std::string>());
    result.bias = Values<float>{{bias.shape.at(0), 1, 1, bias.shape.at(1)}, cells<float>(bias)};
  }
}

// Of the keys of a decoder, whose values are the one-hot classes of its rows.
std::vector<std::int32_t> read_classes(const Golden& golden, const Stored& v) {
  if (field(golden.config, "module") != "tabpfn_decoder") return {};
  std::vector<std::int32_t> classes;
  const auto channels = static_cast<std::size_t>(v.shape.at(3));
  for (std::size_t first = 0; first < v.data.size(); first += channels) {
    const auto row = v.data.begin() + static_cast<std::ptrdiff_t>(first), end = row + v.shape.at(3);
    if (std::count(row, end, 0.0) != v.shape.at(3) - 1 || std::count(row, end, 1.0) != 1 || v.shape.at(2) != 1)
      throw BadCase("v: not the one-hot classes of a decoder, for all heads");
    classes.push_back(static_cast<std::int32_t>(std::find(row, end, 1.0) - row));
  }
  return classes;
}

Case call_case(const Golden& golden, const Json& call, const std::string& q_name) {
  const Stored q = golden.need(q_name), k = golden.need(field(call, "k").get<std::string>());
  const Stored v = golden.need(field(call, "v").get<std::string>());
  const Stored out = golden.need(field(call, "out").get<std::string>());
  const std::int64_t heads = q.shape.at(2), batch = out.shape.at(0);
  const std::vector<std::int64_t> rows =
      call.contains("q_rows") ? integers(call["q_rows"]) : std::vector<std::int64_t>{0, q.shape.at(1)};
  const std::int64_t kv_heads = call.value("kv_heads", k.shape.at(2));
  Case result;
  result.q = logical<float>(q, rows.at(0), rows.at(1), batch, heads);
  result.q_is_shared = call.contains("q_batch_stride");
  result.k = logical<float>(k, 0, k.shape.at(1), batch, kv_heads);
  result.v = logical<float>(v, 0, v.shape.at(1), batch, kv_heads);
  result.v_is_shared = call.contains("v_head_stride");
  result.classes = read_classes(golden, v);
  result.kv_len = k.shape.at(1);
  result.scale = static_cast<float>(number(field(call, "scale")));
  read_masks(golden, call, result);
  result.out = {
      logical<double>(out, rows.at(0), rows.at(1), batch, heads).data, number(field(call, "tolerance")), {}, {}};
  return result;
}

bool ends_with(const std::string& name, const std::string& suffix) { return name.ends_with(suffix); }
std::string prefix_of(const std::string& name, const std::string& suffix) {
  return name.substr(0, name.size() - suffix.size());
}

const std::string after_scaling = "q_after_scaling", after_rope = "q_after_rope", projected = "q_after_projection";

// The tensor that `name` was made of by one step: empty where that is a projection.
std::string made_of(const Golden& golden, const std::string& name) {
  if (ends_with(name, after_rope)) return prefix_of(name, after_rope) + projected;
  if (!ends_with(name, after_scaling)) return "";
  const std::string prefix = prefix_of(name, after_scaling);
  return prefix + (golden.has(prefix + after_rope) ? after_rope : projected);
}

std::vector<QueryStage> read_stages(const Golden& golden, std::string name) {
  std::vector<QueryStage> stages;
  for (std::string before = made_of(golden, name); !before.empty(); name = before, before = made_of(golden, name)) {
    const auto all = [&](const std::string& tensor, auto zero) {
      const Stored stored = golden.need(tensor);
      return logical<decltype(zero)>(stored, 0, stored.shape.at(1), stored.shape.at(0), stored.shape.at(2));
    };
    QueryStage stage;
    stage.name = name;
    stage.before = all(before, 0.0f);
    if (ends_with(name, after_rope))
      stage.rotation = read_rotation(golden);
    else
      stage.scaling = read_scaling(golden, prefix_of(name, after_scaling));
    stage.wanted = {all(name, 0.0).data, golden.tolerance(name), {}, {}};
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace

CaseScaling read_scaling(const Golden& golden, const std::string& prefix) {
  const auto read = [&](const char* name) {
    return golden.has(prefix + name) ? cells<float>(golden.need(prefix + name)) : std::vector<float>{};
  };
  return {read("ssmax_s"),
          {read("qassmax_w1b"), read("qassmax_b1b"), read("qassmax_w2b"), read("qassmax_b2b")},
          {read("qassmax_w1g"), read("qassmax_b1g"), read("qassmax_w2g"), read("qassmax_b2g")},
          golden.size("n")};
}

CaseRotation read_rotation(const Golden& golden) {
  const auto pairs = field(field(golden.config, "rope"), "pairs").get<std::string>();
  return {pairs == "interleaved" ? RotaryPairs::interleaved : RotaryPairs::split_half,
          cells<float>(golden.need("rope_freq"))};
}

std::vector<Case> tabular_cases(const Json& json) {
  const auto shared = std::make_shared<const Golden>(read_golden(json));
  const Golden& golden = *shared;
  std::vector<Case> cases;
  for (const Json& call : golden.calls) {
    const auto q = field(call, "q").get<std::string>();
    cases.push_back(call_case(golden, call, q));
    cases.back().stages = read_stages(golden, q);
    if (!ends_with(q, after_scaling)) continue;
    const auto out = field(call, "out").get<std::string>();
    cases.push_back(call_case(golden, call, made_of(golden, q)));
    cases.back().scaling = read_scaling(golden, prefix_of(q, after_scaling));
    cases.back().out.tolerance = golden.tolerance(out);
  }
  cases.emplace_back().model = shared;
  return cases;
}

}  // namespace heed::tests
