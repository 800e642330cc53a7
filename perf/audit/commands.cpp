// SPDX-License-Identifier: Apache-2.0
// Parses the commands, by CLI11, and runs them.
#include "audit/commands.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "audit/example.hpp"
#include "audit/exit_code.hpp"
#include "audit/experiments_page.hpp"
#include "audit/output_file.hpp"

namespace heed::audit {
namespace {

int run_experiments(const FileArgument& html, std::ostream& out) {
  if (html) require_writable(html);
  const std::vector<Experiment> experiments = all_experiments();
  print_experiments(out, experiments);
  if (html) write_text(html, experiments_page(experiments));
  return all_hold(experiments) ? exit_ok : exit_verdict;
}

}  // namespace

std::optional<int> run_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name != "example" && name != "experiments") return {};
  const bool is_example = name == "example";
  CLI::App app{is_example
                   ? "Two queries and three keys, worked out by hand, beside what each path answers."
                   : "Four experiments about attention, each with what was expected, what was seen and a verdict.",
               "heed-audit " + std::string(name)};
  app.footer("Exit status: 0 when every verdict is ok, 1 when one is not, 2 for wrong arguments or files.");
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return failed->get_name() + ": " + error.what() + " (--help lists the options)\n";
  });
  FileArgument html{"--html", {}};
  if (!is_example) app.add_option(html.option, html.path, "write them as a page too")->type_name("FILE");
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? exit_ok : exit_error;
  }
  if (is_example) return print_example(out) ? exit_ok : exit_verdict;
  return run_experiments(html, out);
}

}  // namespace heed::audit
