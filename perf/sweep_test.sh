#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heed-sweep program: what it writes where, and how it leaves. Usage: sweep_test.sh PATH/heed-sweep
sweep=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
failed=0
header=preset,spec,path,isa,threads,median_us,spread_pct,gflops,peak_pct,gbytes_s,bandwidth_pct,roofline_pct,max_err,status

check() {  # check WHAT: the command before it succeeded
  if [ $? -eq 0 ]; then echo "passed: $1"; else echo "FAILED: $1"; failed=1; fi
}

refuses() {  # refuses MESSAGE ARGUMENT...: leaves with 1 to 127, the message on stderr, nothing on stdout
  message=$1
  shift
  "$sweep" "$@" >"$folder/out" 2>"$folder/err"
  status=$?
  [ $status -ge 1 ] && [ $status -lt 128 ] && [ ! -s "$folder/out" ] && grep -qe "$message" "$folder/err"
  check "refuses $*"
}

refuses "--preset: 'nope'" --preset nope
refuses "spec: 'n=3', expected" --spec "b=1 h=1:1 n=3 d=4:4"
refuses "--path: 'fast' is unknown, expected one of: streaming" --path fast
refuses "isa: 'sse9' is unknown, expected one of: " --isa sse9
refuses "--threads" --threads 0
refuses "--threads" --threads two
refuses "--min-time" --min-time -1
refuses "nonsense" --nonsense
refuses "--csv: '/nonexistent/rows.csv'" --csv /nonexistent/rows.csv --spec "b=1 h=1:1 n=3:3 d=4:4"

tiny="b=1 h=1:1 n=3:3 d=4:4"
"$sweep" --spec "$tiny" --threads 1 --min-time 0 --csv - >"$folder/out" 2>"$folder/err"
check "runs a spec"
[ "$(head -n 1 "$folder/out")" = "$header" ]
check "writes the CSV header first"
[ "$(wc -l <"$folder/out")" -eq 2 ] && grep -qe "^-,$tiny,streaming,.*,ok" "$folder/out"
check "writes one row and nothing else"
grep -q "instructions per FMA cycle" "$folder/err"
check "says the machine's rates beside the CSV"

"$sweep" --spec "$tiny" --threads 1 --min-time 0 --csv "$folder/rows.csv" >"$folder/out" 2>"$folder/err"
[ "$(head -n 1 "$folder/rows.csv")" = "$header" ] && [ "$(wc -l <"$folder/rows.csv")" -eq 2 ]
check "writes a CSV file"
grep -q "^preset .* status$" "$folder/out" && [ ! -s "$folder/err" ]
check "prints the table too, and no progress where stderr is no terminal"

"$sweep" --spec "b=1 h=3:2 n=3:3 d=4:4" --threads 1 --csv - >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] && grep -q '"k: dimension 1 is 2' "$folder/out"
check "a call that the library refuses is a failed row"

if "$sweep" --path onednn --spec "$tiny" --threads 1 --min-time 0 --csv - >/dev/null 2>&1; then
  ONEDNN_VERBOSE=1 "$sweep" --isa baseline --path streaming,onednn --spec "$tiny" --threads 1 --min-time 0 --csv - \
    >"$folder/out" 2>"$folder/err"
  grep -q "cpu,isa:.*SSE4.1" "$folder/out"
  check "holds oneDNN to the one ISA of a sweep"
  [ "$(grep -cE "^-,$tiny,(streaming|onednn),baseline,1,.*,ok" "$folder/out")" -eq 2 ]
  check "has a row for each path, with the ISA"
fi

"$sweep" --list | grep -q "^square-d64-n1024 "
check "lists presets"

exit $failed
