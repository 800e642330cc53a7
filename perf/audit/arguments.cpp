// SPDX-License-Identifier: Apache-2.0
// Parses the command line, by CLI11.
#include "audit/arguments.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "audit/exit_code.hpp"

namespace heed::audit {
namespace {

constexpr const char* description =
    "Runs one attention call on your own .npy tensors by every path of heed, and checks the answers: against\n"
    "the reference path (plain loops in double), and with --expect against an answer of your own.\n"
    "Exit status: 0 when every verdict is ok, 1 when one is not, 2 when the call could not be made.";
constexpr const char* notes =
    "Files are .npy, C order, little-endian. Tensors: float32, or float64 that is rounded to float32.\n"
    "out, lse and weights are written as float32 in the layout and rank of --q: for 4-D bhnd as [B, H, N_q, C],\n"
    "for 4-D bnhd as [B, N_q, H, C], for 3-D as [B, N_q, H*C]; C is the value width, 1 for lse, N_k for weights.\n"
    "--expect: 4-D or 3-D like q. --expect-lse: [B, H, N_q], or as --lse writes it.\n\n"
    "heed-audit example: two queries and three keys, worked out by hand, beside what each path answers.\n"
    "heed-audit experiments [--html FILE]: scale, padding, query count, stability; with numbers and verdicts.";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// Offsets beyond any tensor are refused, so that p - j never leaves 64 bits.
Position parse_position(const std::string& text) {
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  if (text == "top_left") return Position::top_left();
  if (text == "bottom_right") return Position::bottom_right();
  const auto offset = whole_number(text);
  if (!offset || *offset < -farthest || *offset > farthest)
    throw CLI::ValidationError("--position", "'" + text + "', expected top_left, bottom_right or a whole number");
  return Position::offset(*offset);
}

// Two whole numbers with a mark between them.
std::optional<std::pair<std::int64_t, std::int64_t>> parse_pair(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const auto first = whole_number(std::string_view(text).substr(0, at));
  const auto second = whole_number(std::string_view(text).substr(at + 1));
  if (!first || !second) return {};
  return std::pair(*first, *second);
}

Window parse_window(const std::string& text) {
  if (const auto pair = parse_pair(text, ',')) return {pair->first, pair->second};
  throw CLI::ValidationError("--window", "'" + text + "', expected LEFT,RIGHT as whole numbers, -1 for unbounded");
}

HeadPlace parse_head(const std::string& text) {
  if (const auto pair = parse_pair(text, ',')) return {pair->first, pair->second};
  throw CLI::ValidationError("--weights-of", "'" + text + "', expected B,H: a batch item and a query head");
}

RowRange parse_rows(const std::string& text) {
  if (const auto pair = parse_pair(text, ':')) return {pair->first, pair->second};
  throw CLI::ValidationError("--rows", "'" + text + "', expected FIRST:END, such as 0:16");
}

Layout parse_layout(const std::string& text) {
  if (text == "bhnd") return Layout::bhnd;
  if (text == "bnhd") return Layout::bnhd;
  throw CLI::ValidationError("--layout", "'" + text + "', expected bhnd or bnhd");
}

Path parse_path(const std::string& text) {
  std::string names;
  for (const std::string& name : available_paths()) names += (names.empty() ? "" : ", ") + name;
  for (const Path path : {Path::streaming, Path::onednn, Path::reference})
    if (text == path_name(path)) return path;
  throw CLI::ValidationError("--path", "'" + text + "', expected one of: " + names);
}

constexpr const char* looking = "Looking at weights";

CLI::Option* add_file(CLI::App& app, FileArgument& file, const char* what, const char* group) {
  return app.add_option(file.option, file.path, what)->type_name("FILE")->group(group);
}

void add_files(CLI::App& app, Arguments& arguments) {
  constexpr const char* tensors = "Tensors";
  add_file(app, arguments.q, "queries: [B, H, N_q, D], or 3-D [B, N_q, H*D] with --heads", tensors)->required();
  add_file(app, arguments.k, "keys: [B, H_kv, N_k, D], or 3-D", tensors)->required();
  add_file(app, arguments.v, "values: [B, H_kv, N_k, D_v], or 3-D", tensors)->required();
  constexpr const char* visibility = "What may be read";
  CLI::Option* key_allowed =
      add_file(app, arguments.key_allowed, "key padding [B, N_k], bool or uint8: true = may be read", visibility);
  add_file(app, arguments.key_blocked, "the same, true = must not be read", visibility)->excludes(key_allowed);
  CLI::Option* mask_allowed =
      add_file(app, arguments.mask_allowed, "pairwise [N_q, N_k] or 4-D [B|1, H|1, N_q|1, N_k|1]: true = may be read",
               visibility);
  add_file(app, arguments.mask_blocked, "the same, true = must not be read", visibility)->excludes(mask_allowed);
  add_file(app, arguments.lengths, "[B], int32 or int64: keys j < length are visible", visibility);
  add_file(app, arguments.bias, "float, shaped like a mask: added to the score; -inf hides", visibility);
  constexpr const char* answers = "Answers to compare with";
  add_file(app, arguments.expect, "out of another implementation, float32 or float64", answers);
  add_file(app, arguments.expect_lse, "lse of another implementation", answers);
  constexpr const char* outputs = "Outputs";
  add_file(app, arguments.out, "write out", outputs);
  add_file(app, arguments.lse, "write lse", outputs);
  add_file(app, arguments.weights, "write the weights", outputs);
  add_file(app, arguments.json, "write everything that was found, as JSON", outputs);
  add_file(app, arguments.html, "write a page: verdicts, the weights as a picture, plan and machine", outputs);
  add_file(app, arguments.svg, "write the picture of the weights alone", outputs);
  add_file(app, arguments.row_labels, "names of the query rows, one a line", looking);
  add_file(app, arguments.key_labels, "names of the keys, one a line", looking);
}

// As a shell takes it.
std::string command_line(int argc, const char* const* argv) {
  std::string line = "heed-audit";
  for (int i = 1; i < argc; ++i) {
    std::string quoted;
    for (const char letter : std::string_view(argv[i])) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    const bool is_plain = *argv[i] != '\0' &&
                          std::string_view(argv[i]).find_first_of(" \t\n'\"\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    line += is_plain ? " " + quoted : " '" + quoted + "'";
  }
  return line;
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                                         int& exit_code) {
  Arguments arguments;
  CLI::App app{description, "heed-audit"};
  app.footer(notes);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("heed-audit: ") + error.what() + " (--help lists the options)\n";
  });
  app.set_version_flag("--version", std::string("heed-audit ") + version());
  add_files(app, arguments);

  const auto set_position = [&](const std::string& text) { arguments.position = parse_position(text); };
  const auto set_window = [&](const std::string& text) { arguments.window = parse_window(text); };
  const auto set_path = [&](const std::string& text) { arguments.path = parse_path(text); };
  const auto set_layout = [&](const std::string& text) { arguments.layout = parse_layout(text); };
  constexpr const char* call = "The call";
  app.add_option_function<std::string>("--position", set_position,
                                       "where query 0 stands among the keys: top_left, bottom_right or an offset")
      ->type_name("P")
      ->group(call);
  app.add_flag("--causal", arguments.causal, "key j is visible iff j <= p")->group(call);
  app.add_option_function<std::string>("--window", set_window, "p - LEFT <= j <= p + RIGHT; -1: unbounded")
      ->type_name("LEFT,RIGHT")
      ->group(call);
  app.add_option("--scale", arguments.scale, "default 1/sqrt(D)")->group(call);
  app.add_option("--soft-cap", arguments.soft_cap, "cap * tanh(score / cap), before the bias; 0: off")->group(call);
  app.add_option_function<std::string>("--layout", set_layout, "storage of 4-D files: bhnd (default) or bnhd")
      ->type_name("NAME")
      ->group(call);
  app.add_option("--heads", arguments.heads, "query heads, for 3-D files")->check(CLI::PositiveNumber)->group(call);
  app.add_option("--kv-heads", arguments.kv_heads, "heads of 3-D k and v (default: --heads)")
      ->check(CLI::PositiveNumber)
      ->group(call);
  const auto set_head = [&](const std::string& text) { arguments.weights_of = parse_head(text); };
  const auto set_rows = [&](const std::string& text) { arguments.rows = parse_rows(text); };
  app.add_option_function<std::string>("--weights-of", set_head, "print entropy, sums, largest weight; default 0,0")
      ->type_name("B,H")
      ->group(looking);
  app.add_option_function<std::string>("--rows", set_rows, "only those rows, END not included; default all")
      ->type_name("FIRST:END")
      ->group(looking);
  constexpr const char* how = "How";
  app.add_option_function<std::string>("--path", set_path, "the path that writes the outputs (default streaming)")
      ->type_name("NAME")
      ->group(how);
  app.add_option("--isa", arguments.isa, "ISA of the streaming path (default: the best here)")->group(how);
  app.add_option("--threads", arguments.threads, "0: as many as there are")->group(how);

  try {
    app.parse(argc, argv);
    arguments.command = command_line(argc, argv);
    return arguments;
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error, out, err) == 0 ? exit_ok : exit_error;
    return {};
  }
}

}  // namespace heed::audit
