// SPDX-License-Identifier: Apache-2.0
// How much memory this process has resident, now and at most (Linux).
#pragma once

namespace heed::perf {

double resident_mib();  // NaN: not known here
// The most since restart_peak(), which is false where the system does not allow it.
double peak_mib();
bool restart_peak();

}  // namespace heed::perf
