// SPDX-License-Identifier: Apache-2.0
// Options that take several values.
#pragma once

#include <CLI/CLI.hpp>

namespace heed::perf {

// Lists are given with commas, so that a stray word is a mistake and not one more of a list.
template <class Values>
CLI::Option* add_list(CLI::App& app, const char* name, Values& values, const char* about) {
  return app.add_option(name, values, about)->delimiter(',')->allow_extra_args(false);
}

}  // namespace heed::perf
