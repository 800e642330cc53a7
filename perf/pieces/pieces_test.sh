#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heed-pieces program: what it writes where, and how it leaves. Usage: pieces_test.sh PATH/heed-pieces
pieces=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
failed=0
header=isa,piece,rows,keys,head_dim,median_us,spread_pct,gflops,gelements_s,peak_pct,bandwidth_pct,max_err,status
header=$header,samples,peak_gflops,read_gbytes_s,instructions_per_cycle

check() {  # check WHAT: the command before it succeeded
  if [ $? -eq 0 ]; then echo "passed: $1"; else echo "FAILED: $1"; failed=1; fi
}

refuses() {  # refuses MESSAGE ARGUMENT...: leaves with 2, the message on stderr, nothing on stdout
  message=$1
  shift
  "$pieces" "$@" >"$folder/out" 2>"$folder/err"
  [ $? -eq 2 ] && [ ! -s "$folder/out" ] && grep -qe "$message" "$folder/err"
  check "refuses $*"
}

refuses "--isa: 'nonsense' is unknown or does not run here, expected one of: .*baseline" --isa nonsense
refuses "--piece: 'nonsense' is unknown, expected one of: score exp softmax weigh value" --piece score,nonsense
refuses "--rows" --rows 0
refuses "--rows: 4096, expected at most the [0-9]* of a tile of baseline" --isa baseline --rows 4096
refuses "--head-dim" --head-dim 0
refuses "--head-dim" --head-dim 64,wide
refuses "--keys" --keys 0
refuses "--min-time" --min-time -1
refuses "excludes" --quick --head-dim 64
refuses "nonsense" --nonsense
refuses "--csv: '/nonexistent/rows.csv' can't be opened" --csv /nonexistent/rows.csv

"$pieces" --isa baseline --head-dim 20,64 --keys 37 --min-time 0 --csv - >"$folder/out" 2>"$folder/err"
check "runs pieces that are right"
[ "$(head -n 1 "$folder/out")" = "$header" ]
check "writes the CSV header first"
[ "$(wc -l <"$folder/out")" -eq 11 ] && [ "$(grep -c ',ok' "$folder/out")" -eq 10 ]
check "has a row for each piece and head_dim and nothing else"
for piece in score exp softmax weigh value; do
  [ "$(grep -c "^baseline,$piece,[0-9]*,37,\(20\|64\)," "$folder/out")" -eq 2 ] || echo "no $piece"
done >"$folder/missing"
[ ! -s "$folder/missing" ]
check "names the pieces"
[ "$(grep -o ',' "$folder/out" | wc -l)" -eq $((11 * 16)) ]
check "has as many fields as the header"
grep -q "^isa .* piece .* status$" "$folder/err" && grep -q "^CPU: " "$folder/err"
check "prints the table on standard error then"

"$pieces" --isa baseline --piece value,exp --rows 5 --keys 7 --head-dim 3 --min-time 0 --csv - >"$folder/out" 2>"$folder/err"
check "runs the pieces named"
[ "$(cut -d , -f 1-5 "$folder/out" | tail -n +2 | tr '\n' ' ')" = "baseline,exp,8,7,3 baseline,value,8,7,3 " ]
check "has a row for each of them, its rows filled up to whole vectors"

"$pieces" --isa all --quick --min-time 0 --csv "$folder/rows.csv" >"$folder/out" 2>"$folder/err"
check "runs every ISA"
grep -q "^baseline  *value .* x 64 .* ok" "$folder/out" && [ ! -s "$folder/err" ] &&
  [ "$(head -n 1 "$folder/rows.csv")" = "$header" ] && grep -q "^baseline,value,.*,ok" "$folder/rows.csv"
check "prints the table and writes the file"

"$pieces" --isa baseline --quick --min-time 0 --csv /dev/full >"$folder/out" 2>"$folder/err"
[ $? -eq 2 ] && grep -q "^heed-pieces: --csv: a row could not be written" "$folder/err"
check "fails where the CSV can't be written"
exit $failed
