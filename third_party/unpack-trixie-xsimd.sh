#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches Debian 13's xsimd (13.2) through this machine's own apt sources, with the suite "trixie" in the
# place of its own, and unpacks it into a folder without installing it. Prints the folder to put into
# PKG_CONFIG_PATH. Header only, so a Debian 12 compiler can use it as it lies.
#
#   third_party/unpack-trixie-xsimd.sh FOLDER
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: $0 FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)

find_pkg_config_path() { find "$folder/usr" -name xsimd.pc -printf '%h\n' 2>/dev/null | head -n 1; }

if [ -z "$(find_pkg_config_path)" ]; then
  # A private apt state: the machine's own lists and sources stay as they are.
  state="$folder/apt"
  trap 'rm -rf "$state"' EXIT
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F'|' -v keyring="$keyring" '$1 == "Debian" { printf "deb [signed-by=%s] %s trixie main\n", keyring, $2; exit }' \
      > "$state/sources.list"
  if ! [ -s "$state/sources.list" ]; then
    echo "$0: this machine's apt has no Debian source (has 'apt-get update' run?)" >&2
    exit 1
  fi
  options=(-qq -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
           -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
           -o Acquire::Languages=none)
  apt-get "${options[@]}" update >&2
  (cd "$state" && apt-get "${options[@]}" download libxsimd-dev >&2)
  dpkg-deb --extract "$state"/libxsimd-dev_*.deb "$folder"
  # The package's file names /usr; point it at the folder.
  find "$folder/usr" -name xsimd.pc -exec sed -i "s|=/usr|=$folder/usr|" {} +
fi
pkg_config_path=$(find_pkg_config_path)
if [ -z "$pkg_config_path" ]; then
  echo "$0: the package holds no xsimd.pc" >&2
  exit 1
fi
echo "$pkg_config_path"
