#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What must not be in the text of the project: paths of somebody's machine, addresses of servers other than
# the few named here, leftovers, flags that break the promised numbers, trailing blanks, files without licence.
# A character class in each pattern keeps this file from finding itself.
#
#   .ci/check_text.sh [TREE]      default: this checkout
source "$(dirname "$0")/common.sh"
cd "${1:-$top}"

bad=0
# never WHAT REGEX FILES...: no line of the files matches.
never() {
  local what=$1 regex=$2 found
  shift 2
  found=$(grep -InE -- "$regex" "$@" | cut -c1-200 || true)
  [ -z "$found" ] || { printf '%s:\n%s\n' "$what" "$found" >&2; bad=1; }
}

mapfile -t all < <(find . \( -path ./.git -o -path './build*' -o -name __pycache__ \) -prune -o -type f -print | sort)
mapfile -t code < <(printf '%s\n' "${all[@]}" | grep -E '\.(cpp|hpp|c|h|py|sh|build|in|map)$|^\./(\.ci|perf|tests|third_party)/[a-z_-]+$')
mapfile -t texts < <(printf '%s\n' "${all[@]}" | grep -vE '^\./(LICENSE|tests/data/)')

never 'a path that no user has' '(^|[^A-Za-z0-9_.])/(hom[e]|roo[t]|wor[k]|far[m]|Use[r]s)/|\.\./share[d]' "${all[@]}"
never 'a leftover' '#i[f] 0|TOD[O]|FIXM[E]|\bXX[X]\b' "${code[@]}"
never 'a flag that the numbers forbid' 'ffast-mat[h]|-Ofas[t]|march=nativ[e]|funsafe-mat[h]' \
  $(printf '%s\n' "${code[@]}" | grep -vE '\.(cpp|hpp|c|h)$') meson_options.txt
# lanes.hpp is where the versions of xsimd differ.
never 'an #if within logic (a file is in the build or not)' '^ *# *(i[f]|eli[f]) ' \
  $(printf '%s\n' "${code[@]}" | grep -E '^\./(src|perf|tests)/.*\.[ch]pp$' | grep -vx ./src/kernels/lanes.hpp)
never 'trailing blanks or a tab' $'[ \t]$|\t' "${texts[@]}"
while IFS=: read -r file line address; do
  host=${address#*://}
  grep -qxF "${host%%/*}" "$top/.ci/addresses.txt" || { echo "$file:$line: $address is of no host in .ci/addresses.txt" >&2; bad=1; }
done < <(grep -InoE 'https?:/[/][A-Za-z0-9.-]+' "${all[@]}")
for file in "${code[@]}"; do
  head -n 2 "$file" | grep 'SPDX-License-Identifier: Apache-2.[0]' > /dev/null || { echo "$file: no SPDX line" >&2; bad=1; }
done
[ $bad = 0 ] || exit 1
say "${#all[@]} files"
