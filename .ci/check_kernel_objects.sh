#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each kernel object defines exactly one symbol, its table; nothing weak, which a linker could put in the
# place of another ISA's copy; nothing that runs at load time; no data that could be written; and it calls
# nothing but log and the memory functions that compilers emit by themselves.
#
#   .ci/check_kernel_objects.sh [BUILD]      default: build
source "$(dirname "$0")/common.sh"
folder=${1:-$top/build}

objects=0
bad=0
complain() {
  printf '%s: %s\n' "$object" "$*" >&2
  bad=1
}

for object in "$folder"/src/libkernels_*.a.p/*.o; do
  [ -f "$object" ] || fail "no kernel objects in $folder"
  objects=$((objects + 1))
  isa=${object%.a.p/*}
  isa=${isa##*/libkernels_}

  defined=$(nm --demangle --defined-only --extern-only "$object" | cut -d' ' -f2-)
  [ "$defined" = "R heed::kernels_$isa" ] || [ "$defined" = "D heed::kernels_$isa" ] ||
    complain "expected one symbol, heed::kernels_$isa; it defines: ${defined//$'\n'/; }"

  weak=$(nm --demangle "$object" | grep -E '^[0-9a-f ]+ [WwVvu] ' || true)
  [ -z "$weak" ] || complain "weak symbols: ${weak//$'\n'/; }"

  wanted=$(nm --undefined-only "$object" | awk '{ print $2 }' |
    grep -vxE 'mem(cpy|set|move)|log|_GLOBAL_OFFSET_TABLE_' || true)
  [ -z "$wanted" ] || complain "needs symbols from outside: ${wanted//$'\n'/; }"

  sections=$(objdump --section-headers --wide "$object")
  ! grep -qE ' \.(init_array|ctors|preinit_array|tbss|tdata)' <<< "$sections" ||
    complain "has code that runs at load time, or thread-local data"
  # .data.rel.ro holds the table itself: pointers, fixed up at load time and then read-only.
  writable=$(awk '$2 ~ /^\.(data|bss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print $2 }' <<< "$sections")
  [ -z "$writable" ] || complain "has writable data: ${writable//$'\n'/; }"
done

[ $bad = 0 ] || exit 1
say "$objects kernel objects, each with its table and nothing else"
