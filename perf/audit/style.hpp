// SPDX-License-Identifier: Apache-2.0
// How a page and a picture look, as CSS: light, dark and printed.
#pragma once

#include <string>

namespace heed::audit {

// of_reader follows prefers-color-scheme. A picture that lies in other people's pages stays light.
enum class Scheme { of_reader, light };

// Weights from 0 to the largest fall into that many shades.
inline constexpr int shades = 32;

std::string page_style();
std::string picture_style(Scheme scheme);

}  // namespace heed::audit
