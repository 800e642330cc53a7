#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# perf/plot.py on rows that heed-sweep has just written: pictures come out, with every row's name in them, and
# what is no such CSV is refused. Nothing here looks at a time. Pictures stay in build-ci/plot/.
#
#   .ci/check_plot.sh [BUILD]      default: build
source "$(dirname "$0")/common.sh"
sweep="${1:-$top/build}/perf/heed-sweep"
work="$builds/plot"
rm -rf "$work"
mkdir -p "$work"
[ -x "$sweep" ] || fail "$sweep is not built"

# Debian's matplotlib belongs to Debian's Python, which need not be the first one.
plot=()
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import matplotlib' 2> "$work/import.log"; then plot=("$python" "$top/perf/plot.py"); break; fi
done
[ ${#plot[@]} -gt 0 ] || fail 'no matplotlib: third_party/install-debian.sh --checks installs it'

printf '%s\n' 'wide  b=1 h=2:2 n=33:65 d=32:32' 'narrow  b=2 h=4:1 n=1:300 d=16:16' 'hidden  b=2 h=2:2 n=40:40 d=24:24 causal' \
  > "$work/specs"
measure=("$sweep" --specs "$work/specs" --threads 1 --min-time 0 --retries 0)
"${measure[@]}" --path streaming,reference --csv "$work/warm.csv" > "$work/warm.txt"
"${measure[@]}" --cold --csv "$work/cold.csv" > "$work/cold.txt"
"${plot[@]}" "$work/warm.csv" "$work/cold.csv" --out "$work/pictures" > "$work/written.txt"

written=$(sort "$work/written.txt" | sed "s|^$work/pictures/||" | paste -sd' ')
wanted='paths-1-cold.png paths-1-cold.svg paths-1-warm.png paths-1-warm.svg roofline-1-cold.png roofline-1-cold.svg roofline-1-warm.png roofline-1-warm.svg'
[ "$written" = "$wanted" ] || fail "wrote $written, expected $wanted"
for picture in "$work"/pictures/*.png; do
  [ "$(head -c 4 "$picture" | tail -c 3)" = PNG ] && [ "$(wc -c < "$picture")" -gt 10000 ] || fail "$picture is no picture"
done
# Letters are drawn as outlines; each text stands before its own as a comment.
for picture in "$work"/pictures/*.svg; do
  "${plot[0]}" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture" || fail "$picture is no SVG"
  for name in wide narrow hidden; do
    grep -q -- "<!-- $name -->" "$picture" || fail "$picture: no $name"
  done
done
grep -q 'FMA peak' "$work/pictures/roofline-1-warm.svg" || fail 'no roof in the roofline plot'
grep -q 'reference' "$work/pictures/paths-1-warm.svg" || fail 'no second path in the bar chart'

must_fail 'a file that is not there' 'nowhere.csv: No such file' "${plot[@]}" "$work/nowhere.csv"
must_fail 'a file that is no CSV of heed-sweep' 'expected rows of heed-sweep --csv' "${plot[@]}" "$work/specs"
sed 's/,ok[^,]*,/,wrong,/' "$work/warm.csv" > "$work/wrong.csv"
must_fail 'a file without right rows' 'no row with status ok' "${plot[@]}" "$work/wrong.csv"
say "$written; pictures in ${work#"$top"/}"
