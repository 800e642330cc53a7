#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# oneDNN 3.2 for GNU's OpenMP, headers and library, from the Python index, into a folder. Prints the folder
# that has include/ and lib/.
#
#   third_party/unpack-onednn-3.2.sh FOLDER
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
folder=$1
if ! [ -f "$folder/done" ]; then
  rm -rf "$folder"
  mkdir -p "$folder/wheels"
  python3 -m pip download --quiet --no-deps --dest "$folder/wheels" \
    onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0 >&2
  for wheel in "$folder"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$folder/unpacked"; done
  for data in "$folder"/unpacked/*.data/data; do cp -r "$data/." "$folder/"; done
  rm -rf "$folder/wheels" "$folder/unpacked"
  grep -q 'DNNL_VERSION_MAJOR 3' "$folder/include/oneapi/dnnl/dnnl_version.h"
  touch "$folder/done"
fi
(cd "$folder" && pwd)
