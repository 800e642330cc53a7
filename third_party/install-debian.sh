#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what heed needs on Debian 12, as root: for the build, the tests and the tools, or with --checks
# also for .ci/run. Says nothing and touches nothing where everything is there already.
#
#   third_party/install-debian.sh [--checks]
set -euo pipefail

# doctest comes with a CMake package only; Meson asks cmake where it lies.
packages=(g++ meson ninja-build pkg-config cmake libxsimd-dev libdnnl-dev doctest-dev libcli11-dev nlohmann-json3-dev)
checks=(git ccache python3 python3-pip python3-venv clang-16 libclang-rt-16-dev libomp-16-dev clang-format
        g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
        chromium-headless-shell fonts-dejavu-core python3-matplotlib)
case "${1-}" in
  "") ;;
  --checks) packages+=("${checks[@]}") ;;
  *) echo "usage: $0 [--checks]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "$0: not a Debian system; heed needs what these packages hold: ${packages[*]}" >&2
  exit 1
fi
missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null) || state=absent
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "$0: must run as root to install: ${missing[*]}" >&2
  exit 1
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get -q update && apt-get -q install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1 < /dev/null; then
  cat "$log" >&2
  echo "$0: could not install: ${missing[*]}" >&2
  exit 1
fi
