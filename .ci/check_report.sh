#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page that heed-audit makes of the MiniLM tensors, in a real browser, light and dark: no message on its
# console, the numbers of the JSON in its document, cells hatched exactly where the padding is. Screenshots stay
# in build-ci/report/.
#
#   .ci/check_report.sh [BUILD]      default: build
source "$(dirname "$0")/common.sh"
folder=${1:-$top/build}
work="$builds/report"
minilm="$top/tests/data/minilm"
checker="$top/tests/audit/check_report.py"
rm -rf "$work"
mkdir -p "$work"
[ -x "$folder/perf/heed-audit" ] || fail "$folder/perf/heed-audit is not built"

browser=
for name in chromium-headless-shell chromium; do
  if command -v $name > /dev/null; then browser=$name; break; fi
done
[ -n "$browser" ] || fail 'no chromium: third_party/install-debian.sh --checks installs it'

# browse SCHEME PAGE ARGUMENTS...: 0 is dark, 1 light. What the page says on its console is an error.
browse() {
  local scheme=$1 page=$2 log="$work/browser.log"
  shift 2
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
    --enable-logging=stderr --blink-settings=preferredColorScheme="$scheme" "$@" "file://$page" 2> "$log" ||
    { tail -n 20 "$log" >&2; fail "$browser failed on $page"; }
  if grep -E ':CONSOLE' "$log" >&2; then fail "$page: messages on the console"; fi
}

must_fail 'a message on the console' 'messages on the console' bash -c "
  source '$top/.ci/common.sh'; work='$work'; browser='$browser'; $(declare -f browse)
  echo '<script>console.error(\"planted\")</script>' > '$work/planted.html'; browse 1 '$work/planted.html' --dump-dom > /dev/null"

# look NAME HEIGHT: light and dark, wide and narrow.
look() {
  local name=$1 height=$2 width
  for width in 1280 420; do
    browse 1 "$work/$name.html" --window-size="$width,$height" --screenshot="$work/$name-light-$width.png" > /dev/null
    browse 0 "$work/$name.html" --window-size="$width,$height" --screenshot="$work/$name-dark-$width.png" > /dev/null
    say "$name: $("$checker" --same-size "$work/$name-light-$width.png" "$work/$name-dark-$width.png")"
  done
}

for layer in 0 5; do
  name="layer$layer"
  "$folder/perf/heed-audit" --heads 12 --key-allowed "$minilm/key_allowed.npy" --q "$minilm/${name}_q.npy" \
    --k "$minilm/${name}_k.npy" --v "$minilm/${name}_v.npy" --expect "$minilm/${name}_out_f64.npy" \
    --expect-lse "$minilm/${name}_lse_f64.npy" --weights-of 5,5 --row-labels "$minilm/tokens_5.txt" \
    --key-labels "$minilm/tokens_5.txt" --html "$work/$name.html" --json "$work/$name.json" \
    --weights "$work/$name.npy" > "$work/$name.txt"
  browse 1 "$work/$name.html" --dump-dom > "$work/$name.dom"
  say "$name: $("$checker" "$work/$name.dom" "$work/$name.json" "$minilm/key_allowed.npy" "$work/$name.npy")"
  look "$name" 3200
done
sed '0,/class="blocked"/s//class="w0"/' "$work/layer0.dom" > "$work/planted.dom"
must_fail 'a blocked cell in a colour of the scale' 'row 0, key 15: .*expected' \
  "$checker" "$work/planted.dom" "$work/layer0.json" "$minilm/key_allowed.npy" "$work/layer0.npy"

"$folder/perf/heed-audit" experiments --html "$work/experiments.html" > "$work/experiments.txt"
look experiments 2200
rm -rf "$work/profile" "$work/planted.html" "$work/planted.dom"
say "$browser; screenshots in ${work#"$top"/}"
