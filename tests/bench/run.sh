#!/usr/bin/env bash
# run.sh BUILD: measures the speed and memory of tracetool and of other programs on the same files. See README.md here.
#
# Captures are recorded once, into BUILD/bench/captures (about 7 GB). Every row of the table comes from runs that take
# turns, ours, theirs, ours, theirs. The table goes to standard output and, with the spread, to BUILD/bench/results.md.
# The exit status is 1 if a row misses what it must reach, or could not be measured.
#
# QUICK=1: small captures, three runs; for seeing that all of it works, not for figures.
# RUNS=N:  that many runs of each row.
# ONLY=RE: only the groups of rows whose names match: stats tables chrome perfetto gzip pprof memory info jobs same gate batch unity
set -u
cd "$(dirname "$0")/../.." || exit 1

mkdir -p "${1:?usage: run.sh BUILD}/bench/captures" "$1/bench/out" || exit 1
BUILD=$(realpath "$1")
BENCH=$BUILD/bench
CAPTURES=$BENCH/captures
OUT=$BENCH/out
TT=$BUILD/tracetool
SMALL=testdata/mlpd/good-d01-gameloop-calls-alloc.mlpd
export LC_ALL=C MONO_LOG_LEVEL=error

if [ -n "${QUICK:-}" ]; then
	RUNS=${RUNS:-3} HEAP=150000 SAMPLES=100000 COUNTERS=3600 STACKS=5 BIG=100 MANY=60 WHOLE=30 FLAT="30 100" FLAT_MANY="30 60" CALLS=1000 GATED=10
	UNITY=300
else
	RUNS=${RUNS:-5} HEAP=1500000 SAMPLES=1000000 COUNTERS=28800 STACKS=120 BIG=1400 MANY=580 WHOLE=150 FLAT="150 500 1400 2000" FLAT_MANY="150 580 2000"
	CALLS=4000 GATED=100 UNITY=10000
fi
rm -rf "$OUT"
mkdir -p "$OUT"
rows=$OUT/rows detail=$OUT/detail missed=0 unjudged=0 busiest=0 noise=0
: > "$rows"
: > "$detail"

say() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" > /dev/null; }
cores=$(nproc)
# What ratios must reach; README.md says what each means.
RAW_BY_LOOP_1=0.16 RAW_BY_LOOP_2=0.26 DATA_BY_LOOP_1=0.045 DATA_BY_LOOP_2=0.07 PFTRACE_BY_LOOP=0.75 GZIP_BY_ZLIB=1.6 GZIP_BY_ZLIB_2=2.6
BUSY=10                       # others used so many per cent of the machine: what it says of times is worth little

# --- captures ------------------------------------------------------------------

# The programs that are recorded.
programs() {
	local p=$BENCH/programs
	mkdir -p "$p"
	if [ ! -s "$p/Big.exe" ]; then
		mcs -optimize -nowarn:0649 tests/bench/programs/Big.cs -out:"$p/Big.exe" -r:System.Core.dll || return 1
	fi
	if [ ! -s "$p/Many.exe" ]; then
		python3 tests/bench/programs/many.py > "$p/Many.cs" && mcs -optimize "$p/Many.cs" -out:"$p/Many.exe"
	fi
}

# record SECONDS FILE big|many
record() {
	local mono=(mono "--profile=log:nodefaults,calls,alloc,output=$2")
	case $3 in
	big) "${mono[@]}" "$BENCH/programs/Big.exe" "$1" 2> /dev/null ;;
	many) "${mono[@]}" "$BENCH/programs/Many.exe" "$1" 2 > /dev/null ;;
	esac
}

# capture big|many MB: record a capture of about that size, unless there is one. How long that takes depends on
# machine and load: two short recordings tell the rate, and one that misses by more than a seventh is repeated.
capture() {
	local f=$CAPTURES/$1-$2.mlpd want=$(($2 * 1000000)) a b secs size
	[ -s "$f" ] && return
	if ! have mono || ! have mcs || ! have python3; then
		say 'captures are recorded by mono, mcs and python3: make setup-check installs them'
		return 1
	fi
	programs || return 1
	if [ ! -s "$CAPTURES/$1.rate" ]; then
		record 2 "$f.new" "$1" && a=$(stat -c %s "$f.new") && record 4 "$f.new" "$1" && b=$(stat -c %s "$f.new") || return 1
		[ "$b" -gt "$a" ] || b=$((a + a / 2))
		echo $(((b - a) / 2)) $((2 * a - b)) > "$CAPTURES/$1.rate"
	fi
	read -r a b < "$CAPTURES/$1.rate"
	secs=$(((want - b + a / 2) / a))
	for _ in 1 2 3; do
		[ "$secs" -gt 0 ] || secs=1
		say "recording $1-$2.mlpd for $secs s"
		record "$secs" "$f.new" "$1" || return 1
		size=$(stat -c %s "$f.new")
		[ $((size * 7)) -ge $((want * 6)) ] && [ $((size * 7)) -le $((want * 8)) ] && break
		secs=$(((secs * (want / 1000) + size / 2000) / (size / 1000)))
	done
	mv "$f.new" "$f"
}

# --- rows ----------------------------------------------------------------------

# timed OPTION... -- OURS [-- THEIRS]: run in turns; the figures go to the variables named below.
timed() {
	local words
	if ! words=$("$BENCH/time" -n "$RUNS" "$@" 2> "$OUT/messages"); then
		say "$(cat "$OUT/messages")"
		return 1
	fi
	read -r a_min a_med a_max b_min b_med b_max r_med r_min r_max _ a_rss others <<< "$words"
	[ "$others" -le "$busiest" ] || busiest=$others
	noise=$others
}

# fresh FILE: a copy of it, written now, for the runs of one row: how a file lies in the page cache is worth a sixth of a reader's speed.
fresh() {
	local to=$OUT/fresh.${1##*.}
	rm -f "$OUT"/fresh.*
	cat "$1" > "$to" && echo "$to"
}

calc() { awk "BEGIN { print $* }"; }
secs() { awk -v v="$1" 'BEGIN { if (v < 0.1) printf "%.1f ms", v * 1000; else printf "%.2f s", v }'; }
mib() { awk -v v="$1" 'BEGIN { printf "%.1f", v / 1024 }'; }

# Columns on the screen; sizes of several files do not fit in there.
line() {
	[ ${#3} -le 9 ] || set -- "$1" "$2" '' "${@:4}"
	printf '%-58s %5s %9s %9s %11s %10s %10s %8s\n' "$@"
}

# row JOB CORES OURS PEER VALUE LIMIT [RSS]: VALUE is what LIMIT is about, as ">= 1.0", "<= 1.1" or "-" for none.
# What stands behind a number in VALUE or LIMIT is a unit. Times that were taken while others used the machine are not judged: the row that follows them.
row() {
	local ok=- busy=$noise
	noise=0
	if [ "$6" != - ] && [ "$busy" -ge "$BUSY" ]; then
		ok='not judged'
		unjudged=$((unjudged + 1))
	elif [ "$6" != - ]; then
		ok=$(awk -v v="$5" -v l="$6" 'BEGIN { split(l, w, " "); v += 0;
			print (w[1] == ">=" ? v >= w[2] + 0 : v <= w[2] + 0) ? "yes" : "NO" }')
		[ "$ok" = yes ] || missed=$((missed + 1))
	fi
	printf '%s\t' "$1" "$2" "$3" "$4" "$5" "$6" "$ok" "${7:--}" >> "$rows"
	printf '\n' >> "$rows"
	line "$1" "$2" "$3" "$4" "$5" "$6" "$ok" "${7:--}"
}

# Could not be measured: as bad as a miss.
none() {
	missed=$((missed + 1))
	printf '%s\t' "$1" "${2:--}" - - "not measured: ${3:-failed}" - NO - >> "$rows"
	printf '\n' >> "$rows"
	line "$1" "${2:--}" - - - - NO -
	say "	not measured: ${3:-failed}"
}

# The runs behind a row.
spread() {
	printf '| %s | %s | %s, %s, %s | %s | %s | %s %% |\n' "$1" "$2" "$(secs "$a_min")" "$(secs "$a_med")" "$(secs "$a_max")" \
		"$([ "$b_med" = 0 ] && echo - || echo "$(secs "$b_min"), $(secs "$b_med"), $(secs "$b_max")")" \
		"$([ "$b_med" = 0 ] && echo - || echo "$r_min to $r_max")" "$others" >> "$detail"
}

# on CORES: sets `pin` and `j` for runs on one core or two.
on() {
	j=-j$1 pin=()
	[ "$1" = 1 ] && pin=(-1)
}

# faster JOB CORES LIMIT OPTION... -- OURS -- PEER: a row for speed: theirs by ours.
faster() {
	local job=$1 n=$2 limit=$3
	shift 3
	[ "$n" -le "$cores" ] || { none "$job" "$n" "this machine has one core"; return; }
	timed "${pin[@]}" "$@" || { none "$job" "$n"; return; }
	row "$job" "$n" "$(secs "$a_med")" "$(secs "$b_med")" "$(printf %.2f "$r_med")" "$limit" "$(mib "$a_rss")"
	spread "$job" "$n"
}

wanted() { [[ $1 =~ ${ONLY:-.} ]]; }

# --- stats -----------------------------------------------------------------------

stats_rows() {
	local big=$CAPTURES/big-$BIG.mlpd many=$CAPTURES/many-$MANY.mlpd n
	have mprof-report || { none "stats beside mprof-report" - "mprof-report is not installed (make setup-check)"; return; }
	for n in 1 2; do
		on $n
		faster "stats BIG / mprof-report" $n ">= $([ $n = 1 ] && echo 1.0 || echo 2.0)" -- \
			"$TT" stats "$j" "$big" -- mprof-report "$big"
		faster "stats MANY / mprof-report" $n ">= $([ $n = 1 ] && echo 0.75 || echo 1.3)" -- \
			"$TT" stats "$j" "$many" -- mprof-report "$many"
		faster "stats MANY / mprof-report --traces" $n ">= $([ $n = 1 ] && echo 2.5 || echo 4)" -- \
			"$TT" stats "$j" "$many" -- mprof-report --traces "$many"
	done
}

# made NAME COMMAND...: a capture that a program of tests/bench/programs writes, kept as recordings are.
made() {
	local f=$CAPTURES/$1.mlpd
	shift
	[ -s "$f" ] || { "$@" "$f.new" && mv "$f.new" "$f"; }
}

# A heap that grows over eleven shots.
heap_capture() {
	local p=$BENCH/programs
	[ -s "$CAPTURES/heap-$HEAP.mlpd" ] && return
	mcs -optimize -nowarn:0649,0414 tests/bench/programs/Heap.cs -out:"$p/Heap.exe" &&
		mono "--profile=log:nodefaults,heapshot,output=$CAPTURES/heap.new" "$p/Heap.exe" "$HEAP" 10 2> /dev/null &&
		mv "$CAPTURES/heap.new" "$CAPTURES/heap-$HEAP.mlpd"
}

# Allocations with the stacks the runtime recorded for them.
stacks_capture() {
	local f=$CAPTURES/stacks-$STACKS.mlpd
	[ -s "$f" ] || { mono "--profile=log:nodefaults,gcalloc,maxframes=16,output=$f.new" "$BENCH/programs/Big.exe" "$STACKS" 2> /dev/null &&
		mv "$f.new" "$f"; }
}

# Call paths and allocation sites, beside the reports that have them, too.
paths_rows() {
	local big=$CAPTURES/big-$BIG.mlpd many=$CAPTURES/many-$MANY.mlpd stacks=$CAPTURES/stacks-$STACKS.mlpd n
	local calls=markers,calltree,alloc_sites,alloc_paths sites=alloc_classes,alloc_sites,alloc_paths
	stacks_capture || { none "recorded stacks" - "no capture of them"; return; }
	for n in 1 2; do
		on $n
		faster "call paths and sites, BIG / mprof-report --traces" $n ">= $([ $n = 1 ] && echo 1.6 || echo 3.2)" -- \
			"$TT" stats -q "$j" --table "$calls" "$big" -- mprof-report --traces "$big"
		faster "call paths and sites, MANY / mprof-report --traces" $n ">= $([ $n = 1 ] && echo 2.5 || echo 4)" -- \
			"$TT" stats -q "$j" --table "$calls" "$many" -- mprof-report --traces "$many"
		faster "recorded stacks / mprof-report --traces" $n ">= $([ $n = 1 ] && echo 1.0 || echo 1.6)" -- \
			"$TT" stats -q "$j" --table "$sites" "$stacks" -- mprof-report --traces "$stacks"
	done
}

# Tables of what is rare.
tables_rows() {
	local heap=$CAPTURES/heap-$HEAP.mlpd samples=$CAPTURES/samples-$SAMPLES.mlpd counters=$CAPTURES/counters-$COUNTERS.mlpd n
	have mprof-report || { none "tables beside mprof-report" - "mprof-report is not installed (make setup-check)"; return; }
	made "samples-$SAMPLES" python3 tests/bench/programs/samples.py "$SAMPLES" 3000 || { none "samples"; return; }
	made "counters-$COUNTERS" python3 tests/bench/programs/counters.py "$COUNTERS" || { none "counters"; return; }
	heap_capture || { none "heap shots" - "no capture of heap shots"; return; }
	paths_rows
	for n in 1 2; do
		on $n
		faster "heap shots, class tables / mprof-report" $n ">= 1.0" -- \
			"$TT" stats -q "$j" --table heapshots,heapshot_classes "$heap" -- mprof-report "$heap"
		faster "heap shots with references / mprof-report --traces" $n ">= $([ $n = 1 ] && echo 8 || echo 10)" -- \
			"$TT" stats -q "$j" --table heapgraph "$heap" -- mprof-report --traces "$heap"
	done
	faster "samples by method / mprof-report" 2 ">= 14" -- \
		"$TT" stats -q -j2 --table samples "$samples" -- mprof-report "$samples"
	faster "$((COUNTERS / 3600)) h of counters / gzip -1" 2 ">= 2" -- \
		"$TT" stats -q -j2 --table counters "$counters" -- gzip -1 -c "$counters"
}

unresolved_row() {
	local c n=0
	for c in big-$BIG many-$MANY; do
		n=$((n + $("$TT" stats -q --table markers,gcalloc --format json "$CAPTURES/$c.mlpd" | grep -c '"(unknown')))
	done
	row "names not resolved, BIG and MANY" - "$n" - "$n" "<= 0"
}

# --- Chrome JSON -------------------------------------------------------------------

# pack CAPTURE NAME [OPTION...]: the slices for the bare loop, kept as captures are; prints how many.
pack() {
	local f=$CAPTURES/$2.slices c=$1
	if [ ! -s "$f" ] || [ "$c" -nt "$f" ]; then
		shift 2
		"$TT" convert -q "$@" -f csv -o - "$c" | "$BENCH/bareloop" pack "$f" > "$f.n" || return 1
	fi
	cat "$f.n"
}

chrome_rows() {
	local whole=$CAPTURES/big-$WHOLE.mlpd big=$CAPTURES/big-$BIG.mlpd n slices time
	slices=$(pack "$whole" "big-$WHOLE") || { none "convert to Chrome JSON / bare loop"; return; }
	for n in 1 2; do
		on $n
		faster "convert to Chrome JSON / bare loop" $n "$([ $n = 1 ] && echo - || echo '>= 0.5')" -s -x "$OUT/a.json" -x "$OUT/b.json" \
			-- "$TT" convert -q "$j" "$whole" -o "$OUT/a.json" -- "$BENCH/bareloop" print "$CAPTURES/big-$WHOLE.slices" "$OUT/b.json"
	done
	# A window of the same length out of a long capture.
	time=$("$TT" info -q --format json "$big" | sed -n 's/.*"duration_ns":\([0-9]*\).*/\1/p' | head -1)
	time=0-$(awk -v t="$time" -v b="$BIG" -v w="$WHOLE" 'BEGIN { printf "%.1f", t / 1e9 * w / b }')
	if pack "$big" "big-$BIG-$time" --time "$time" > /dev/null; then
		on 2
		faster "same, --time $time of BIG / bare loop" 2 - -s -x "$OUT/a.json" -x "$OUT/b.json" -- \
			"$TT" convert -q "$j" --time "$time" "$big" -o "$OUT/a.json" -- \
			"$BENCH/bareloop" print "$CAPTURES/big-$BIG-$time.slices" "$OUT/b.json"
	fi
	uftrace_rows "$whole" "$slices"
}

# Per slice: the two read different captures, as neither reads the other's.
uftrace_rows() {
	local job="Chrome JSON, ns a slice / uftrace dump --chrome" data=$OUT/uftrace theirs n
	have uftrace || { none "$job" - "uftrace is not installed (make setup-check)"; return; }
	if ! ${CC:-cc} -O1 -finstrument-functions tests/bench/programs/calls.c -o "$OUT/calls" ||
		! uftrace record -d "$data" "$OUT/calls" "$CALLS" > /dev/null 2> "$OUT/messages" ||
		! uftrace dump --chrome -d "$data" > "$OUT/u.json" 2>> "$OUT/messages"; then
		none "$job"
		return
	fi
	theirs=$(grep -c '"ph":"B"' "$OUT/u.json")
	for n in 1 2; do
		on $n
		timed "${pin[@]}" -b "$OUT/u.json" -x "$OUT/u.json" -x "$OUT/a.json" -- "$TT" convert -q "$j" "$1" -o "$OUT/a.json" -- \
			uftrace dump --chrome -d "$data" || { none "$job" $n; continue; }
		row "$job" $n "$(calc "int($a_med / $2 * 1e10) / 10")" "$(calc "int($b_med / $theirs * 1e10) / 10")" \
			"$(awk -v a="$a_med" -v n="$2" -v b="$b_med" -v m="$theirs" 'BEGIN { printf "%.1f", (b / m) / (a / n) }')" ">= 5" \
			"$(mib "$a_rss")"
		r_min=$(calc "$r_min * $2 / $theirs") r_max=$(calc "$r_max * $2 / $theirs")
		spread "$job" $n
	done
	rm -rf "$data"
}

# Perfetto's format beside Chrome JSON of the same capture: time, size, slices a second.
perfetto_rows() {
	local whole=$CAPTURES/big-$WHOLE.mlpd slices n f bytes
	for n in 1 2; do
		on $n
		faster "convert to .pftrace / to Chrome JSON" $n ">= 1.0" -x "$OUT/a.pftrace" -x "$OUT/b.json" -- \
			"$TT" convert -q "$j" "$whole" -o "$OUT/a.pftrace" -- "$TT" convert -q "$j" "$whole" -o "$OUT/b.json"
	done
	slices=$(pack "$whole" "big-$WHOLE") || { none "convert to .pftrace / bare loop"; return; }
	f=$(fresh "$whole") || { none "convert to .pftrace / bare loop"; return; }
	for n in 1 2; do
		on $n
		faster "convert to .pftrace / bare loop that prints JSON" $n "$([ $n = 1 ] && echo - || echo ">= $PFTRACE_BY_LOOP")" -s \
			-x "$OUT/a.pftrace" -x "$OUT/b.json" -- "$TT" convert -q "$j" "$f" -o "$OUT/a.pftrace" -- \
			"$BENCH/bareloop" print "$CAPTURES/big-$WHOLE.slices" "$OUT/b.json"
	done
	row "slices of .pftrace a second, millions" 2 "$(secs "$a_med")" - "$(calc "int($slices / $a_med / 1e5) / 10")" - "$(mib "$a_rss")"
	bytes=$("$TT" convert -q "$whole" -f chrome -o - | wc -c)
	for f in .pftrace .pftrace.gz; do
		"$TT" convert -q "$whole" -o "$OUT/a$f"
		row "size of $f by Chrome JSON" - - - "$(calc "int($(stat -c %s "$OUT/a$f") * 1000 / $bytes) / 1000")" "<= 0.1"
		rm -f "$OUT/a$f"
	done
}

# Beside zlib at level 1, on one core, over the JSON that ours makes and compresses.
gzip_rows() {
	local whole=$CAPTURES/big-$WHOLE.mlpd json=$OUT/plain.json f bytes n
	f=$(fresh "$whole") && "$TT" convert -q "$f" -o "$json" || { none "convert to .json.gz / zlib"; return; }
	bytes=$(stat -c %s "$json")
	for n in 1 2; do
		on $n
		faster "convert to .json.gz / zlib at level 1 of the JSON" $n ">= $([ $n = 1 ] && echo "$GZIP_BY_ZLIB" || echo "$GZIP_BY_ZLIB_2")" \
			-x "$OUT/a.json.gz" -x "$OUT/b.gz" -- "$TT" convert -q "$j" "$f" -o "$OUT/a.json.gz" -- "$BENCH/zlib_level1" "$json" "$OUT/b.gz"
		row ".json.gz, MB of JSON a second" $n "$(secs "$a_med")" - "$(calc "int($bytes / $a_med / 1e6)") MB/s" -
	done
	rm -f "$json"
}

# --- pprof -----------------------------------------------------------------------

pprof_rows() {
	local n c
	for n in 1 2; do
		on $n
		for c in big-$BIG many-$MANY; do
			local job="stats / convert to pprof, ${c%-*}"
			job=${job/big/BIG} job=${job/many/MANY}
			timed "${pin[@]}" -x "$OUT/a.pb.gz" -- "$TT" convert -q "$j" "$CAPTURES/$c.mlpd" -o "$OUT/a.pb.gz" -- \
				"$TT" stats "$j" "$CAPTURES/$c.mlpd" || { none "$job" $n; continue; }
			row "convert to pprof / stats, ${job##* }, time" $n "$(secs "$a_med")" "$(secs "$b_med")" \
				"$(awk -v a="$a_med" -v b="$b_med" 'BEGIN { printf "%.2f", a / b }')" "<= 1.1" "$(mib "$a_rss")"
			spread "convert to pprof / stats, ${job##* }" $n
		done
	done
}

# --- memory ------------------------------------------------------------------------

# memory_row JOB big|many "SIZES" COMMAND...: peak RSS over captures of those sizes, at most $MOST MiB; the file stands behind COMMAND.
memory_row() {
	local job=$1 kind=$2 sizes=$3 s all=() max=0 runs=$RUNS
	shift 3
	RUNS=1
	for s in $sizes; do
		timed -w 0 -x "$OUT/a.json.gz" -- "$@" "$CAPTURES/$kind-$s.mlpd" || { RUNS=$runs; none "$job" 2; return; }
		all+=("$(mib "$a_rss")")
		noise=0               # memory does not hang on it
		max=$(awk -v a="$a_rss" -v m="$max" 'BEGIN { print (a > m ? a : m) }')
	done
	RUNS=$runs
	row "$job" 2 "${all[*]}" - "$(mib "$max") MiB" "<= ${MOST:-96}" "$(mib "$max")"
}

memory_rows() {
	local k f w
	for k in big many; do
		[ $k = big ] && f=$FLAT || f=$FLAT_MANY
		w="RSS over ${f// /, } MB, ${k^^}:"
		memory_row "$w info" $k "$f" "$TT" info -j2
		MOST=56 memory_row "$w stats" $k "$f" "$TT" stats -j2
		memory_row "$w Chrome JSON" $k "$f" "$TT" convert -q -j2 -f chrome -o -
		memory_row "$w Chrome JSON, B/E" $k "${f%% *}" "$TT" convert -q -j2 -f chrome --begin-end -o -
		memory_row "$w .json.gz of 1 s" $k "$f" "$TT" convert -q -j2 --time 1-2 -o "$OUT/a.json.gz"
		memory_row "$w CSV events" $k "$f" "$TT" convert -q -j2 -f csv -o -
		memory_row "$w pprof" $k "$f" "$TT" convert -q -j2 -f pprof -o -
		memory_row "$w folded" $k "$f" "$TT" convert -q -j2 -f folded -o -
	done
}

# --- small files, many jobs -----------------------------------------------------------

info_row() {
	local runs=$RUNS
	RUNS=51
	pin=()
	faster "info, small file / start of the program" "$cores" ">= 0.25" -- "$TT" info $SMALL -- "$TT" --version
	RUNS=$runs
}

jobs_rows() {
	local c whole=$CAPTURES/big-$WHOLE.mlpd
	pin=()
	for c in big-$BIG many-$MANY; do
		local k=${c%-*}
		timed -- "$TT" stats -j8 "$CAPTURES/$c.mlpd" -- "$TT" stats -j2 "$CAPTURES/$c.mlpd" || { none "stats ${k^^}, -j8 / -j2"; continue; }
		row "stats ${k^^}, -j8 / -j2, time" 2 "$(secs "$a_med")" "$(secs "$b_med")" \
			"$(awk -v a="$a_med" -v b="$b_med" 'BEGIN { printf "%.2f", a / b }')" "<= 1.1" "$(mib "$a_rss")"
		spread "stats ${k^^}, -j8 / -j2" 2
	done
	timed -x "$OUT/a.json" -x "$OUT/b.json" -- "$TT" convert -q -j8 "$whole" -o "$OUT/a.json" -- \
		"$TT" convert -q -j2 "$whole" -o "$OUT/b.json" || { none "Chrome JSON, -j8 / -j2"; return; }
	row "Chrome JSON, -j8 / -j2, time" 2 "$(secs "$a_med")" "$(secs "$b_med")" \
		"$(awk -v a="$a_med" -v b="$b_med" 'BEGIN { printf "%.2f", a / b }')" "<= 1.1" "$(mib "$a_rss")"
	spread "Chrome JSON, -j8 / -j2" 2
}

# same JOB CAPTURE ARGUMENT...: the same bytes from any number of jobs?
same() {
	local job="outputs that differ for -j1 2 3 8: $1" f=$CAPTURES/$2.mlpd n differ=0
	shift 2
	"$TT" "$@" -j1 "$f" > "$OUT/one" || { none "$job"; return; }
	for n in 2 3 8; do
		TRACETOOL_JOBS_EXACT=1 "$TT" "$@" -j$n "$f" | cmp -s - "$OUT/one" || differ=$((differ + 1))
	done
	rm -f "$OUT/one"
	row "$job" - "$differ" - "$differ" "<= 0"
}

same_rows() {
	same "stats, BIG" "big-$BIG" stats --format json
	same "stats, MANY" "many-$MANY" stats --format json
	same "Chrome JSON, BIG" "big-$WHOLE" convert -q -f chrome -o -
	same "Chrome JSON, MANY" "many-$MANY" convert -q --time 1-2 -f chrome -o -
	same "pprof, MANY" "many-$MANY" convert -q -f pprof -o -
}

# --- gate ----------------------------------------------------------------------------

# Twenty captures of as many processes: one recording under other process ids (4 bytes of its header). Beside it: stats
# on each of them in turn, all tables.
gate_rows() {
	local big=$CAPTURES/big-$GATED.mlpd dir=$OUT/gate k n
	mkdir -p "$dir"
	for k in $(seq 20); do
		cp "$big" "$dir/$k.mlpd" && printf "\\x$(printf %02x "$k")\\x00\\x00\\x00" |
			dd of="$dir/$k.mlpd" bs=1 seek=32 conv=notrunc status=none || { none "gate / stats, 20 captures"; return; }
	done
	cat > "$dir/budget.json" <<-'E'
		{ "tracetool_budget": 1, "rows": [
		  { "id": "length", "metric": "capture.time", "max": "1000s" },
		  { "id": "bytes", "metric": "gc.alloc.bytes", "stat": "total", "max": "1000GiB" },
		  { "id": "pause", "metric": "gc.pause", "stat": "max", "max": "1000s" },
		  { "id": "marker", "metric": "marker.time", "marker": "*:Main", "stat": "total", "max": "1000s" },
		  { "id": "p95", "metric": "marker.time", "marker": "*:Len", "stat": "p95", "max": "1000s" } ] }
	E
	for n in 1 2; do
		on $n
		timed "${pin[@]}" -- "$TT" stats "$j" --gate "$dir/budget.json" "$dir"/*.mlpd -- \
			bash -c 'for f in "${@:2}"; do "$0" stats "$1" "$f" || exit; done' "$TT" "$j" "$dir"/*.mlpd ||
			{ none "gate / stats, 20 captures" $n; continue; }
		row "gate / stats, 20 captures of $GATED MB, time" $n "$(secs "$a_med")" "$(secs "$b_med")" \
			"$(awk -v a="$a_med" -v b="$b_med" 'BEGIN { printf "%.2f", a / b }')" "<= 1.1" "$(mib "$a_rss")"
		spread "gate / stats, 20 captures" $n
	done
	diff_rows "$dir"
	rm -rf "$dir"
}

# diff_rows DIR: eight of these against eight others, beside stats -j1 on each in turn. Equal captures of one session are undecided, status 5.
diff_rows() {
	local n
	for n in 1 2; do
		on $n
		timed "${pin[@]}" -- bash -c '"$0" diff -q "$1" "${@:2:8}" -- "${@:10}" || [ $? = 5 ]' "$TT" "$j" "$1"/{1..16}.mlpd -- \
			bash -c 'for f; do "$0" stats -q -j1 "$f" || exit; done' "$TT" "$1"/{1..16}.mlpd ||
			{ none "diff of 8 and 8 / stats of 16" $n; continue; }
		row "diff of 8 and 8 / stats -j1 of 16, of $GATED MB, time" $n "$(secs "$a_med")" "$(secs "$b_med")" \
			"$(awk -v a="$a_med" -v b="$b_med" 'BEGIN { printf "%.2f", a / b }')" "<= $([ $n = 1 ] && echo 1.1 || echo 0.7)" "$(mib "$a_rss")"
		spread "diff of 8 and 8 / stats of 16" $n
	done
}

# --- batch ---------------------------------------------------------------------------

# A thousand captures in four archives (7 GB, made once), by tests/bench/batch.py.
batch_rows() {
	local job value must n=1000
	[ -z "${QUICK:-}" ] || n=60
	COUNT=$n RUNS=$RUNS python3 tests/bench/batch.py "$BUILD" "$BENCH/batch" > "$OUT/batch"
	grep '^#' "$OUT/batch" >&2
	while IFS=$'\t' read -r job value must; do
		row "batch: $job" 2 - - "$value" "${must%  MISSED}"
	done < <(grep -v '^#' "$OUT/batch")
}

# --- Unity's own captures --------------------------------------------------------------

# 1.2 GB of a game of 40 threads and 3,000 markers in 10,000 frames, as .raw and as .data. Beside it the least that a reader must do, on one core: a loop
# that adds up the times of all zones; and what it takes to move the bytes: cat into a pipe.
unity_rows() {
	local form f zones n size limit
	for form in raw data; do
		[ $form = raw ] && zones=3750 || zones=5250
		f=$CAPTURES/unity-$UNITY.$form
		[ -s "$f" ] || { "$BENCH/unity_gen" $form "$f.new" "$UNITY" $zones > /dev/null && mv "$f.new" "$f"; } ||
			{ none "stats .$form"; continue; }
		f=$(fresh "$f") || { none "stats .$form"; continue; }
		size=$(stat -c %s "$f") a_rss=
		for n in 1 2; do
			on $n
			limit=${form^^}_BY_LOOP_$n
			faster "stats .$form / loop that adds up its zones" $n ">= ${!limit}" -- "$TT" stats -q "$j" "$f" -- "$BENCH/unity_loop" "$f"
			row "stats .$form, GB a second" $n "$(secs "$a_med")" - \
				"$(awk -v n="$size" -v t="$a_med" 'BEGIN { printf "%.2f GB/s", n / t / 1e9 }')" -
		done
		# shellcheck disable=SC2016
		faster "stats .$form / cat into a pipe" 2 - -- "$TT" stats -q -j2 "$f" -- bash -c 'cat "$0" | cat' "$f"
		row "RSS of stats .$form, $((size / 1000000)) MB" 2 "$(mib "$a_rss")" - "$(mib "$a_rss") MiB" "<= 64" "$(mib "$a_rss")"
	done
	rm -f "$OUT"/fresh.*
}

# --- all of it -----------------------------------------------------------------------

needs=("big $BIG" "many $MANY" "big $WHOLE")
[[ ${ONLY:-} =~ ^(gate|tables|unity)$ ]] && needs=()
[[ ${ONLY:-} =~ ^(perfetto|gzip|perfetto\|gzip)$ ]] && needs=("big $WHOLE")
[[ ${ONLY:-} == tables ]] && needs=("big $BIG" "many $MANY")
wanted gate && needs+=("big $GATED")
wanted memory && for s in $FLAT; do needs+=("big $s"); done
wanted memory && for s in $FLAT_MANY; do needs+=("many $s"); done
for c in "${needs[@]}"; do
	# shellcheck disable=SC2086
	capture $c || exit 1
done

line job cores ours peer value 'must reach' reached 'RSS MiB'
began=$SECONDS load=$(cut -d' ' -f1-3 /proc/loadavg)
wanted stats && stats_rows && unresolved_row
wanted tables && tables_rows
wanted chrome && chrome_rows
wanted perfetto && perfetto_rows
wanted gzip && gzip_rows
wanted pprof && pprof_rows
wanted memory && memory_rows
wanted info && info_row
wanted jobs && jobs_rows
wanted same && same_rows
wanted batch && batch_rows
wanted gate && gate_rows
wanted unity && unity_rows
took=$((SECONDS - began))

# --- the table -----------------------------------------------------------------------

size() { awk -v b="$(stat -c %s "$CAPTURES/$1.mlpd" 2> /dev/null)" 'BEGIN { printf "%.0f MB", b / 1e6 }'; }
{
	echo '# tracetool beside others'
	echo
	echo "$("$TT" --version), $(git log -1 --format='commit %h' 2> /dev/null)$(git diff --quiet HEAD 2> /dev/null || echo ' and changes'). \
$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $cores cores, Linux $(uname -r). Load before: $load. \
$(mono --version 2> /dev/null | sed -n '1s/ (.*//p'), $(uftrace --version 2> /dev/null | cut -d' ' -f1,2). \
BIG $(size big-$BIG), MANY $(size many-$MANY), Chrome JSON from a capture of $(size big-$WHOLE). Medians of $RUNS; $took s in all."
	[ "$busiest" -lt "$BUSY" ] || printf '\n**Others used up to %s %% of the machine meanwhile: the figures are worth little.**\n' "$busiest"
	[ -z "${QUICK:-}" ] || printf '\n**QUICK: small captures and few runs; the figures say little.**\n'
	echo
	echo '| job | cores | ours | peer | value | must reach | reached | peak RSS, MiB |'
	echo '|---|---|---|---|---|---|---|---|'
	sed 's/\t$//; s/\t/ | /g; s/^/| /; s/$/ |/' "$rows"
	echo
	echo '"value" is the ratio of speeds (theirs by ours) where a peer is named, of times where the row says so.'
	echo "\"not judged\": others used $BUSY % of the machine or more meanwhile."
	echo '"cores": 1 is both on one core with -j1; 2 is -j2; mprof-report, uftrace and the loop use one.'
	echo
	echo '## Spread'
	echo
	echo '| job | cores | ours: least, median, largest | peer | ratio of pairs | others took of the machine |'
	echo '|---|---|---|---|---|---|'
	cat "$detail"
} > "$BENCH/results.md"

echo
echo "Written to $BENCH/results.md. $took s; load before: $load."
[ "$busiest" -lt "$BUSY" ] || echo "Others used up to $busiest % of the machine meanwhile: the figures are worth little."
rm -rf "$OUT"
if [ -n "${QUICK:-}" ]; then
	echo "QUICK: $missed rows below what they must reach, which says little on small captures."
	exit 0
fi
[ "$unjudged" = 0 ] || echo "$unjudged rows were not judged: others used $BUSY % of the machine or more meanwhile."
echo "$missed rows did not reach what they must."
[ "$missed" = 0 ]
