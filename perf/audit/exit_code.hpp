// SPDX-License-Identifier: Apache-2.0
// What heed-audit answers to the shell.
#pragma once

namespace heed::audit {

inline constexpr int exit_ok = 0;       // every verdict holds
inline constexpr int exit_verdict = 1;  // one does not
inline constexpr int exit_error = 2;    // wrong arguments or files; nothing was judged

}  // namespace heed::audit
