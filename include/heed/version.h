/* SPDX-License-Identifier: Apache-2.0
 * The version of these headers; heed::version() and heed_version() say that of the library linked. */
#pragma once

#define HEED_VERSION_MAJOR 0
#define HEED_VERSION_MINOR 1
#define HEED_VERSION_PATCH 0
#define HEED_VERSION "0.1.0"
