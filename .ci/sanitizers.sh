#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests under AddressSanitizer and UndefinedBehaviorSanitizer (GCC), and the threaded ones under
# ThreadSanitizer (Clang 16 with its own OpenMP), which must also find a race that is planted.
#
#   .ci/sanitizers.sh [address|thread]      default: both
source "$(dirname "$0")/common.sh"
wanted=${1:-both}
options=(-Dbuildtype=debugoptimized -Dperf=false -Disas=avx2 -Db_lundef=false)

if [ "$wanted" != thread ]; then
  targets=("${test_programs[@]}")
  build address -Db_sanitize=address,undefined "${options[@]}"
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
  run_tests "$top/build-address"
fi

if [ "$wanted" != address ]; then
  # The runtime of OpenMP itself is not instrumented: its own locks would look like races.
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1
  tree="$builds/thread"
  copy_tree "$tree"
  targets=(tests/end_to_end)
  CC=clang-16 CXX=clang++-16 build_tree "$tree" "$tree/build" -Db_sanitize=thread "${options[@]}"
  threaded=("$tree/build/tests/end_to_end" -tc='*threads give*,*many threads*,*every thread count*')
  "${threaded[@]}" > "$builds/thread.log" 2>&1 || { tail -n 60 "$builds/thread.log" >&2; fail 'threads'; }
  grep -q 'test cases: *[3-9] | *[3-9] passed' "$builds/thread.log" || fail 'expected three tests of threads or more'
  say "threads: $(grep 'test cases:' "$builds/thread.log")"
  # Every thread believes that it is the first: they share its scratch.
  grep -q 'omp_get_thread_num()' "$tree/src/paths/parallel_for.cpp" || fail 'parallel_for.cpp has no omp_get_thread_num()'
  sed -i 's/omp_get_thread_num()/0/' "$tree/src/paths/parallel_for.cpp"
  build_tree "$tree" "$tree/build"
  must_fail 'threads that share their scratch' 'WARNING: ThreadSanitizer: data race' "${threaded[@]}"
fi
