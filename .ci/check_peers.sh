#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# perf/peers.py gives the same answers through heed and other libraries, which pip installs in an environment of
# their own: ONNX Runtime and OpenVINO always, PyTorch where pip offers a build for CPUs alone (others bring
# gigabytes) that installs within five minutes. The first two are a failure where they don't install, PyTorch is
# a row less, and that is said. With a scale that is 1 % off for one library, in a copy, the tool must fail.
#
#   .ci/check_peers.sh [BUILD]      default: build
source "$(dirname "$0")/common.sh"
folder=${1:-$top/build}
work="$builds/peers"
venv="$work/venv"
pip="$venv/bin/pip"
python="$venv/bin/python"
mkdir -p "$work"
for file in src/libheed.so perf/heed-sweep; do
  [ -e "$folder/$file" ] || fail "$folder/$file is not built"
done

[ -x "$python" ] || /usr/bin/python3 -m venv "$venv" || fail 'no venv: third_party/install-debian.sh --checks installs it'
# install NAME SECONDS PACKAGE...
install() {
  local name=$1 limit=$2 log="$work/pip.log" status=0
  shift 2
  timeout "$limit" "$pip" install -q --disable-pip-version-check "$@" > "$log" 2>&1 < /dev/null || status=$?
  [ $status = 0 ] || { tail -n 20 "$log" >&2; say "$name is not installed: pip left with $status ($limit s allowed)"; }
  return $status
}
libraries=(ort-mha ort-attention openvino)
install 'ONNX Runtime' 300 onnxruntime onnx || fail 'no ONNX Runtime to compare with'
install OpenVINO 300 openvino || fail 'no OpenVINO to compare with'
offered=$(timeout 60 "$pip" index versions torch 2> /dev/null) || offered=
if ! [[ $offered =~ [0-9][0-9.]*\+cpu ]]; then
  say 'without PyTorch: pip offers no build for CPUs alone'
elif install PyTorch 300 "torch==${BASH_REMATCH[0]}"; then
  libraries+=(pytorch)
fi

# The last one has grouped heads.
presets=vit-b16-224,minilm-b64-n32,tp3-s3-cached-1row
rows="$work/rows.csv"
# run_peers TREE
run_peers() {
  timeout 200 "$python" "$1/perf/peers.py" --build "$folder" --preset $presets --threads 1,2 --min-time 0.02 --csv "$rows"
}
run_peers "$top" || fail 'answers differ, or a library failed'
for library in heed "${libraries[@]}"; do
  # The contributed operation has no grouped heads.
  wanted=6
  [ $library != ort-mha ] || wanted=4
  found=$(grep -cE "^[^,]*,[^,]*,[12],$library,.*,ok$" "$rows") || true
  [ "$found" = $wanted ] || fail "$library: $found rows are right, expected $wanted"
done

tree="$work/tree"
# plant FILE OLD NEW LIBRARY: replaces the first OLD, and sees that library found wrong.
plant() {
  rm -rf "$tree"
  mkdir -p "$tree"
  cp -r "$top/perf" "$tree/"
  local file="$tree/perf/peers/$1" text
  text=$(< "$file")
  [[ $text == *"$2"* ]] || fail "$1 has no '$2' any more: plant the wrong scale elsewhere"
  printf '%s\n' "${text/"$2"/"$3"}" > "$file"
  must_fail "$1: '$2' as '$3'" "$4 wrong" run_peers "$tree"
}
presets=vit-b16-224
plant onnx_runtime.py 'scale=float(workload.scale)' 'scale=float(workload.scale * 1.01)' ort-mha
plant heed.py 'options.soft_cap = spec.soft_cap' 'options.scale = pointer(ctypes.c_float(workload.scale * 1.01))' heed
rm -rf "$tree"
say "heed and ${libraries[*]} agree"
