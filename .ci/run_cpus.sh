#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One binary on CPUs that lack the wide instruction sets: an instruction that leaked out of a kernel object
# kills the program there, and a rule that picks the wrong ISA shows. Emulated, so AVX-512 is absent; without
# oneDNN, whose AVX code crashes in qemu 7.2.
#
#   .ci/run_cpus.sh [CPU...]      default: Nehalem (no AVX), Haswell (AVX2 and FMA)
source "$(dirname "$0")/common.sh"
[ $# -gt 0 ] || set -- Nehalem Haswell
targets=("${test_programs[@]}")
build cpus -Donednn=disabled -Dperf=false
# Minutes each where FMA is emulated, and about threads, lengths and options, not about a CPU: the same kernels run
# them without an emulator, and every kind of call is left.
not_emulated+=('*many threads may call*' '*threads give the same bits*' '*65\,536*' '*100\,000 keys*'
  '*keys in parts are right*' '*alone give the bits*' '*scores are the products*' '*added up by their weights*'
  '*are those of the scores*' '*every pair of lengths*' '*any number of classes and keys*' 'classes: every named call*'
  '*in any strides\, width\, positions*' '*random problems agree*' 'every named call agrees*')
for cpu in "$@"; do
  case "$cpu" in
    Nehalem) expected='baseline' ;;
    Haswell) expected='avx2, baseline' ;;
    *) fail "$cpu: expected Nehalem or Haswell" ;;
  esac
  say "$cpu"
  run_tests "$top/build-cpus" qemu-x86_64-static -cpu "$cpu"
  qemu-x86_64-static -cpu "$cpu" "$top/build-cpus/tests/unit" -tc=none | grep "run here: $expected;" > /dev/null ||
    fail "$cpu: expected the ISAs $expected"
done
