// SPDX-License-Identifier: Apache-2.0
// The JSON that heed-audit writes. JSON has no NaN and no infinity: they are the strings "NaN",
// "Infinity" and "-Infinity".
#include <cmath>
#include <nlohmann/json.hpp>

#include "audit/report.hpp"

namespace heed::audit {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0.0 ? "Infinity" : "-Infinity";
  return value;
}

Json place(const Difference& difference) { return difference.is_empty ? Json(nullptr) : Json(difference.worst); }

Json difference(const Difference& found) {
  return {{"max", number(found.max)},
          {"mean", number(found.mean)},
          {"of_bound", number(found.of_bound)},
          {"worst", place(found)}};
}

Json path_json(const PathReport& path) {
  Json json = {{"path", path.path}, {"verdict", path.is_ok() ? "ok" : "fail"}, {"failures", path.failures}};
  if (!path.has_run) return json;
  json.update({{"isa", path.isa.empty() ? Json(nullptr) : Json(path.isa)},
               {"threads", path.threads},
               {"seconds", path.seconds},
               {"spec", path.spec},
               {"out", difference(path.out)},
               {"lse", difference(path.lse)},
               {"expect", path.expect ? difference(*path.expect) : Json(nullptr)},
               {"expect_lse", path.expect_lse ? difference(*path.expect_lse) : Json(nullptr)},
               {"row_sum_error", number(path.weights.row_sum_error)},
               {"hidden_weight", number(path.weights.hidden_weight)},
               {"weights_rows", path.weights.rows},
               {"weights_are_sampled", path.weights_are_sampled}});
  return json;
}

Json files(const Arguments& arguments) {
  Json json = Json::object();
  for (const FileArgument* file :
       {&arguments.q, &arguments.k, &arguments.v, &arguments.key_allowed, &arguments.key_blocked,
        &arguments.mask_allowed, &arguments.mask_blocked, &arguments.bias, &arguments.lengths, &arguments.expect,
        &arguments.expect_lse, &arguments.row_labels, &arguments.key_labels, &arguments.out, &arguments.lse,
        &arguments.weights, &arguments.html, &arguments.svg})
    if (*file) json[file->option + 2] = file->path;
  return json;
}

Json call_json(const Call& call) {
  const Sizes& sizes = call.sizes();
  const Options& options = call.whole().options;
  const bool has_position = options.position.has_value();
  return {{"batch", sizes.batch},
          {"q_heads", sizes.q_heads},
          {"kv_heads", sizes.kv_heads},
          {"q_len", sizes.q_len},
          {"kv_len", sizes.kv_len},
          {"head_dim", sizes.head_dim},
          {"value_dim", sizes.value_dim},
          {"scale", number(static_cast<double>(call.scale()))},
          {"soft_cap", number(static_cast<double>(options.soft_cap))},
          {"offset", has_position ? Json(call.offset()) : Json(nullptr)},
          {"causal", options.causal},
          {"window", {options.window.left, options.window.right}}};
}

Json rows_json(const AllRowFacts& facts) {
  double visible = 0.0, magnitude = 0.0, max_abs_v = 0.0, out_bound = 0.0, lse_bound = 0.0;
  std::int64_t empty = 0;
  for (const RowFacts& row : facts.all()) {
    visible += static_cast<double>(row.visible);
    empty += row.visible == 0;
    magnitude = std::fmax(magnitude, row.magnitude);
    max_abs_v = std::fmax(max_abs_v, row.max_abs_v);
    out_bound = std::fmax(out_bound, row.out_bound());
    lse_bound = std::fmax(lse_bound, row.lse_bound());
  }
  return {{"rows", facts.all().size()},
          {"rows_that_see_nothing", empty},
          {"visible_pairs", visible},
          {"largest_magnitude", number(magnitude)},
          {"largest_abs_v", number(max_abs_v)},
          {"largest_out_bound", number(out_bound)},
          {"largest_lse_bound", number(lse_bound)},
          {"row_sum_bound", 1e-6},
          {"hidden_weight_bound", 0.0}};
}

Json shown_json(const Shown& shown) {
  Json rows = Json::array(), keys = Json::array();
  for (const ShownRow& row : shown.rows)
    rows.push_back({{"row", row.row},
                    {"label", shown.row_labels.is_given() ? Json(shown.row_labels.at(row.row)) : Json(nullptr)},
                    {"sum", number(row.sum)},
                    {"entropy", number(row.entropy)},
                    {"largest_weight", number(row.largest)},
                    {"at_key", row.largest_key < 0 ? Json(nullptr) : Json(row.largest_key)},
                    {"blocked_keys", row.blocked}});
  for (std::int64_t key = 0; key < shown.kv_len; ++key)
    keys.push_back({{"key", key},
                    {"label", shown.key_labels.is_given() ? Json(shown.key_labels.at(key)) : Json(nullptr)},
                    {"sum", number(shown.key_sums[static_cast<std::size_t>(key)])},
                    {"blocked_in_rows", shown.key_blocked[static_cast<std::size_t>(key)]}});
  return {{"batch_item", shown.b},
          {"head", shown.h},
          {"path", shown.path},
          {"range", {shown.range.first, shown.range.end}},
          {"is_sample", shown.is_sample()},
          {"cells", shown.cells()},
          {"blocked_cells", shown.blocked_cells},
          {"rows", rows},
          {"keys", keys}};
}

}  // namespace

std::string to_json(const Arguments& arguments, const Call& call, const AllRowFacts& facts, const Report& report,
                    const Shown* shown) {
  Json json = {{"heed_audit", version()},   {"files", files(arguments)}, {"call", call_json(call)},
               {"facts", rows_json(facts)}, {"notes", report.notes},     {"paths", Json::array()},
               {"absent", Json::array()}};
  for (const PathReport& path : report.paths) json["paths"].push_back(path_json(path));
  for (const AbsentPath& absent : report.absent)
    json["absent"].push_back({{"path", absent.path}, {"reason", absent.reason}});
  if (shown != nullptr) json["shown"] = shown_json(*shown);
  json["outputs_by"] = path_name(arguments.path);
  json["verdict"] = report.is_ok() ? "ok" : "fail";
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heed::audit
