#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heed-sweep program: what it writes where, and how it leaves. Usage: sweep_test.sh PATH/heed-sweep
sweep=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
failed=0
header=preset,spec,path,isa,threads,median_us,spread_pct,gflops,peak_pct,gbytes_s,bandwidth_pct,roofline_pct,max_err,status
header=$header,storage,cache,samples,ratio,to_first,flops_per_byte,peak_gflops,read_gbytes_s,copy_gbytes_s
header=$header,instructions_per_cycle

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
refuses "--threads" --threads 1,all,two
refuses "--storage: 'nhwc' is unknown, expected bhnd, bnhd or both" --storage nhwc
refuses "--retries" --retries -1
refuses "--quick.*excludes.*--full\|--full.*excludes.*--quick" --quick --full
refuses "--specs: '/nonexistent/specs' can't be read" --specs /nonexistent/specs
refuses "--compare: '/nonexistent/old.csv' can't be read" --compare /nonexistent/old.csv
refuses "--json: '/nonexistent/rows.json'" --json /nonexistent/rows.json --spec "b=1 h=1:1 n=3:3 d=4:4"
refuses "--json: standard output has the CSV already" --json - --csv - --spec "b=1 h=1:1 n=3:3 d=4:4"
printf 'b=1 h=1:1 n=3:3 d=4:4\nnamed b=1 h=1:1 n=3 d=4:4\n' >"$folder/specs"
refuses "specs:2: spec: 'n=3', expected" --specs "$folder/specs"
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
"$sweep" --spec "$tiny" --threads 1 --min-time 0 --csv /dev/full >"$folder/out" 2>"$folder/err"
[ $? -eq 2 ] && grep -q "^heed-sweep: --csv: a row could not be written" "$folder/err"
check "fails where the CSV can't be written"

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

printf '# ours\nnamed %s causal  # once\n%s\n' "$tiny" "$tiny" >"$folder/specs"
"$sweep" --specs "$folder/specs" --storage bhnd,bnhd --cold --threads 1 --min-time 0 --csv - >"$folder/out" 2>"$folder/err"
check "runs a file of specs, cold, in both storage orders"
[ "$(grep -c ',ok\( busy\)\{0,1\},b[hn]*d,cold,' "$folder/out")" -eq 4 ] &&
  grep -q "^named,$tiny causal,.*,bhnd,cold," "$folder/out" &&
  grep -q "^-,$tiny q=bnhd k=bnhd v=bnhd out=bnhd,.*,bnhd,cold," "$folder/out"
check "has a row for each, which says so"
grep -q "^named  *streaming .* bnhd " "$folder/err"
check "has a plain line for each row on standard error, where standard output is the CSV's"

"$sweep" --spec "$tiny" --threads 1 --min-time 0 --json - >"$folder/out" 2>"$folder/err"
check "writes JSON"
for key in command machine cpu build revision compiler flags kernel_flags onednn rows median_us copy_gbytes_s; do
  grep -q "\"$key\": " "$folder/out" || echo "no $key"
done >"$folder/missing"
[ ! -s "$folder/missing" ] && [ "$(head -c 1 "$folder/out")" = "{" ] && [ "$(tail -n 1 "$folder/out")" = "}" ]
check "has machine, build, command and rows in it"

# Rows that were made up: nothing here looks at a time of this machine.
row() {  # row NAME MEDIAN SPREAD STATUS
  echo "$1,$tiny,streaming,avx2,1,$2,$3,90,70,1,5,70,1e-7,$4,bhnd,warm,50,,,25.6,128,16,14,5.8"
}
{ echo "$header"; row one 100 2.0 ok; row two 200 4.0 ok; row noisy 300 30 "ok busy"; } >"$folder/old.csv"
{ echo "$header"; row one 102 2.5 ok; row two 193 3.0 ok; row noisy 400 8.0 ok; } >"$folder/rerun.csv"
{ echo "$header"; row one 110 2.5 ok; row two 200 4.0 ok; row noisy 300 8.0 ok; } >"$folder/slower.csv"
"$sweep" --compare "$folder/old.csv,$folder/rerun.csv" >"$folder/out" 2>"$folder/err"
[ $? -eq 0 ] && grep -q "^3 compared: 0 slower, 0 faster, 2 the same, 1 busy and not judged" "$folder/out"
check "finds nothing in a rerun"
"$sweep" --compare "$folder/old.csv,$folder/slower.csv" >"$folder/out" 2>"$folder/err"
[ $? -eq 3 ] && grep -q "^one .* 1.100 .* SLOWER$" "$folder/out" && grep -q "^3 compared: 1 slower" "$folder/out"
check "finds a slowdown of 10 % and leaves with 3"
"$sweep" --compare "$folder/slower.csv,$folder/old.csv" >"$folder/out" 2>"$folder/err"
[ $? -eq 0 ] && grep -q "^3 compared: 0 slower, 1 faster" "$folder/out"
check "does not mind what got faster"
refuses "--compare: the runs have no row in common" --compare "$folder/old.csv,$folder/rows.csv"

# A measured row against one that can't be reached, and one that can't be missed.
measured() { "$sweep" --spec "$tiny" --threads 1 --min-time 0 --retries 0 --compare "$folder/old.csv" >"$folder/out" 2>"$folder/err"; }
for times in 0.000001 1000000; do
  awk -F, -v OFS=, -v times=$times 'NR > 1 { $6 *= times; $7 = 0; $14 = "ok"; $21 = $22 = 0 } { print }' \
    "$folder/rows.csv" >"$folder/old.csv"
  measured
  status=$?
  if grep -q "1 busy and not judged" "$folder/out"; then wanted=0; else
    case $times in 1000000) wanted=0 ;; *) wanted=3 ;; esac
  fi
  [ $status -eq $wanted ] && grep -q "^1 compared: " "$folder/out"
  check "compares what it measured with a run whose times were $times of these"
done

"$sweep" --list | grep -q "^square-d64-n1024 "
check "lists presets"

exit $failed
