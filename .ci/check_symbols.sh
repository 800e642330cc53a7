#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shared library exports what include/heed declares with HEED_API or HEED_C_API, all of it and nothing else,
# and one OpenMP comes with it: two in a process are slow or wrong.
#
#   .ci/check_symbols.sh [BUILD]      default: build
source "$(dirname "$0")/common.sh"
folder=${1:-$top/build}
library="$folder/src/libheed.so"
[ -f "$library" ] || fail "no $library"

# Names: a function's, or a class's (whose members are exported with it).
declared=$(cat "$top"/include/heed/*.h "$top"/include/heed/*.hpp | sed 's|//.*||; s|/\*.*\*/||' |
  grep -E '\bHEED_(C_)?API\b' | grep -v '#' |
  sed -E 's/.*class .*HEED_API ([A-Za-z_]+).*/\1/; t; s/^[^(]*[ *&]([A-Za-z_]+)\(.*/\1/' | sort -u)
# Of "heed::Status::Status(...)" the class; of "heed::explain(...)" and "heed_explain" the function.
exported=$(nm --dynamic --demangle --defined-only "$library" | cut -d' ' -f3- |
  sed -E 's/\[abi:[a-z0-9]+\]//; s/^heed::([A-Za-z_]+)(::[^(]*)?\(.*/\1/' | sort -u)

bad=0
while read -r name; do
  echo "exported but not public: $name" >&2
  bad=1
done < <(comm -13 <(echo "$declared") <(echo "$exported"))
while read -r name; do
  echo "declared public but not exported: $name" >&2
  bad=1
done < <(comm -23 <(echo "$declared") <(echo "$exported"))
[ $bad = 0 ] || exit 1
say "$(wc -l <<< "$exported") public names, and nothing else"
runtimes=$(ldd "$library" | grep -cE 'lib(g|i)?omp[0-9]*\.so' || true)
[ "$runtimes" = 1 ] || fail "expected one OpenMP runtime, got $runtimes: $(ldd "$library" | grep omp)"
