#!/usr/bin/env bash
# run.sh quick|check|all BUILD: run the suites of that set and sum up.
#
# Suites are the unit programs (tests/unit/*/*.c, tests/fault/*.c), the fuzz targets over their corpora
# (tests/fuzz/*.c), and the commands in tests/suites. Each ends with a line "N passed, N failed". One that
# ends otherwise, fails without saying so, needs a tool that is not there or takes too long counts as a
# failure. Nothing is left out silently: what a suite cannot try here it says in a line "left out: WHAT: WHY", which
# is shown and counted as neither. The last line here is the sum, and the exit status 1 if anything failed.
#
# Suites run from the top of the tree with BUILD, TRACETOOL (the program), TT_SET (check or all), TT_LOT and
# TMPDIR (removed at the end) in the environment. TT_TURNS=SECONDS is how much of the suites that take turns check runs (kit/turns.py;
# "all" is all of them). TT_ONLY, an extended regular expression, picks suites by name;
# TT_NOT leaves out those that match, and says so. TT_SLOW=N is for where programs take N times as long as usual, as under an emulator: limits
# are N times as long, and of very many cases one in N is tried.
#
# "quick" is for between two edits: unit programs, command lines, fuzz corpora and oracle/truth. There a tool that is not
# installed leaves out what needs it, and a line says so; in the other sets it is a failure.
set -u
cd "$(dirname "$0")/.." || exit 1

TT_SET=${1:?usage: run.sh quick|check|all BUILD}
BUILD=$(realpath "${2:?}")
TRACETOOL=$BUILD/tracetool
# seconds a suite may take, also on a busy machine; fault/oom at full length, or with a sanitizer, takes its time
[ "$TT_SET" = all ] && long=14400 || long=${TT_SANITIZED:+3600}
LIMIT=$((${long:-1500} * ${TT_SLOW:-1}))
JOBS=${TT_JOBS:-$(nproc)}
# A suite that records may hold two rings of 32 MiB in shared memory, of which a container has 64 MiB: then one suite at a time.
shm=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)
rings=$((${shm:-0} / 73728))
[ -z "${TT_JOBS:-}" ] && [ "$JOBS" -gt "$rings" ] && JOBS=$((rings > 1 ? rings : 1))
work=$(mktemp -d "${TMPDIR:-/tmp}/tracetool-tests.XXXXXX") || exit 1
TMPDIR=$work/tmp
mkdir "$TMPDIR"
# Which part of the long lists check tries (tests/kit/lot.py): another one for each commit.
head=$(git rev-parse --short=7 HEAD 2>/dev/null)
TT_LOT=${TT_LOT:-$((16#${head:-0} % 10000000))}
[ "$TT_SET" = check ] && echo "lot $TT_LOT: TT_LOT=$TT_LOT draws the same parts of long lists again"
export BUILD TRACETOOL TT_SET TT_LOT TMPDIR
export TRACETOOL_JOBS_EXACT=1   # -j 8 is eight workers, also on two processors
trap 'rm -rf "$work"' EXIT
# What the program prints must not depend on these; the suites that try it set them.
unset LC_ALL LANG LC_NUMERIC NO_COLOR COLUMNS
export TERM=dumb TZ=UTC
# Where python3 is a script that looks for the one to run, it takes longer than many a suite: that one is found once.
python=$(python3 -c 'import sys; print(sys.executable or "")' 2>/dev/null)
[ -z "$python" ] || [ "$python" -ef "$(command -v python3)" ] || PATH=$(dirname "$python"):$PATH

case $TT_SET in
quick) in_set='^(unit/|fuzz/|cli(/man_options)?$|oracle/truth$)' ;;
check|all) in_set=. ;;
*) echo "run.sh: \"$TT_SET\" is not quick, check or all" >&2; exit 1 ;;
esac

names=() commands=() needs=()
sum_left=0
add() {
	[[ $1 =~ ${TT_ONLY:-.} && $1 =~ $in_set ]] || return 0
	if [[ $1 =~ ${TT_NOT:-^$} ]]; then
		echo "left out: $1: TT_NOT=$TT_NOT"
		sum_left=$((sum_left + 1))
		return
	fi
	names+=("$1"); needs+=("$2"); commands+=("$3")
}

# The long ones stand first there, so that they do not end alone. Of those that take turns check runs as many as fit into TT_TURNS seconds
# of a processor: with the rest, ten minutes of two processors.
[ "$TT_SET" != all ] && [ -z "${TT_ONLY:-}" ] || TT_TURNS=all
turns=" $(python3 tests/kit/turns.py "${TT_TURNS:-180}" | tr '\n' ' ')" waiting=
while read -r set name need command; do
	case $set in
	check) add "$name" "$need" "$command" ;;
	turn=*)
		if [[ $turns == *" $name "* ]]; then
			add "$name" "$need" "$command"
		elif [ "$TT_SET" = check ]; then
			waiting="$waiting $name"
		fi ;;
	all) [ "$TT_SET" = all ] && add "$name" "$need" "$command" ;;
	''|'#'*) ;;
	*) echo "tests/suites: \"$set\" is none of check, turn=SECONDS and all" >&2; exit 1 ;;
	esac
done < tests/suites
[ -z "$waiting" ] || echo "run for other commits, and by check-all:$waiting"
for f in tests/fault/*.c tests/unit/*/*.c; do
	case $f in tests/fault/alloc.c|tests/fault/transfer.c|tests/fault/recorder_calls.c|tests/fault/instructions.c) continue ;; esac     # no programs
	[ -e "$f" ] || continue
	n=${f#tests/}; n=${n%.c}
	add "$n" - "$BUILD/$n"
done
for f in tests/fuzz/*.c; do
	n=$(basename "$f" .c)
	[ -e "$f" ] && [ "$n" != replay ] || continue
	corpus=tests/fuzz/corpus/$n
	[ -d "$corpus" ] || corpus=
	add "fuzz/$n" - "$BUILD/fuzz/$n $corpus"
done

# Run suite $1; leave its output and what came of it in $work.
one() {
	local i=$1 log=$work/$1.log start=$EPOCHREALTIME rc last passed=0 failed=0 tool missing= user=0 sys=0 TIMEFORMAT='%0U %0S'
	# cli leaves out single cases.
	local whole=1; [ "$TT_SET ${names[i]}" = "quick cli" ] && whole=
	for tool in ${needs[i]//,/ }; do
		[ "$tool" = - ] || command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	if [ -n "$missing" ] && [ "$TT_SET" = quick ] && [ -n "$whole" ]; then
		echo "left out: ${names[i]}: not installed:$missing" > "$log"
		echo "0 passed, 0 failed" >> "$log"
		rc=0
	elif [ -n "$missing" ] && [ -n "$whole" ]; then
		echo "not installed:$missing (\"make setup-check\" installs it)" > "$log"
		rc=1
	else
		{ time TT_MISSING=$missing timeout -k 5 "$LIMIT" bash -c "${commands[i]}" > "$log" 2>&1 < /dev/null; } 2> "$work/$i.cpu"
		rc=$?
		# Before the times stands what bash says of a program that a signal ended.
		read -r user sys < <(tail -n 1 "$work/$i.cpu")
		[[ $user$sys =~ ^[0-9]+$ ]] || user=0 sys=0
	fi
	last=$(tail -n 1 "$log")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]}
	else
		echo "(no sum at the end: taken as a failure)" >> "$log"
		failed=1
	fi
	if [ $rc -ne 0 ] && [ "$failed" -eq 0 ]; then
		echo "(exit status $rc without a failed test: taken as a failure)" >> "$log"
		failed=1
	elif [ $rc -eq 124 ]; then
		echo "(took longer than $LIMIT s)" >> "$log"
	fi
	local end=$EPOCHREALTIME
	echo "$passed $failed $(( (${end/./} - ${start/./}) / 100000 )) $((user + sys))" > "$work/$i.new"
	mv "$work/$i.new" "$work/$i.sum"
}

# Tell how suite $1 went, once it is over.
tell() {
	local passed failed tenths cpu
	read -r passed failed tenths cpu < "$work/$1.sum"
	: > "$work/$1.told"
	sum_passed=$((sum_passed + passed))
	sum_failed=$((sum_failed + failed))
	printf '%-28s %5d passed' "${names[$1]}" "$passed"
	[ "$failed" -gt 0 ] && printf ' %5d FAILED' "$failed"
	printf '  %d.%d s, processor %d s\n' $((tenths / 10)) $((tenths % 10)) "$cpu"
	echo "$tenths $cpu ${names[$1]}" >> "$work/seconds"
	grep '^left out: ' "$work/$1.log" | sed 's/^/    /'
	sum_left=$((sum_left + $(grep -c '^left out: ' "$work/$1.log")))
	[ "$failed" -gt 0 ] && tail -n 60 "$work/$1.log" | sed 's/^/    /' | tee "$work/$1.failed"
	return 0
}

sum_passed=0 sum_failed=0 running=0 run_start=${EPOCHREALTIME%.*}
# Each suite that ended writes its number here.
mkfifo "$work/ended" || exit 1
exec 3<> "$work/ended"
end_one() { one "$1" 3>&-; echo "$1" >&3; }

# True if at least three tenths of a processor had nothing to do since this was last true or false, a second or more ago.
idle_was=0 all_was=0
idles() {
	local user nice system idle disk irq soft stolen all rest
	read -r rest user nice system idle disk irq soft stolen rest 2>/dev/null < /proc/stat || return 1
	idle=$((idle + disk)) all=$((user + nice + system + idle + irq + soft + stolen))
	local i=$((idle - idle_was)) a=$((all - all_was))
	[ $a -lt $((ticks * processors)) ] && return 1
	idle_was=$idle all_was=$all
	[ $((i * processors * 10)) -ge $((a * 3)) ]
}

# Many suites wait: for browsers, for programs that record in real time, for time-outs. So one more is begun whenever the processors have
# little to do, up to twice as many as they are, and no more than rings have room; TT_JOBS=N is N at all times.
processors=$(nproc) ticks=$(getconf CLK_TCK)
most=$((2 * processors))
[ "$most" -gt "$rings" ] && most=$((rings > JOBS ? rings : JOBS))
[ -z "${TT_JOBS:-}" ] || most=$JOBS
# Suites that mostly wait, and the longest, run one after the other beside those that compute.
waits='^(batch/slurm|report|report/pages|where/ci)$'
lane=() next=
[ "${#names[@]}" -gt 15 ] && for i in "${!names[@]}"; do [[ ${names[i]} =~ $waits ]] && lane+=("$i"); done
begin_next_of_lane() {
	next=${lane[0]:-}
	lane=("${lane[@]:1}")
	[ -z "$next" ] || end_one "$next" &
}
# Wait for a suite to end, at most a second. A second may end between two digits of its number: the first ones are kept.
begun=
wait_for_one() {
	local ended
	if ! read -r -t 1 -u 3 ended; then
		begun=$begun$ended
		# What a signal ended writes nothing; it has no sum either, which is told below.
		[ -n "$(jobs -rp)" ] || { running=0 next=; }
		return
	fi
	ended=$begun$ended begun=
	tell "$ended"
	if [ "$ended" = "$next" ]; then begin_next_of_lane; else running=$((running - 1)); fi
}
begin_next_of_lane
idles
for i in "${!names[@]}"; do
	[ "${#names[@]}" -gt 15 ] && [[ ${names[i]} =~ $waits ]] && continue
	while [ "$running" -ge "$JOBS" ] && ! { [ "$running" -lt "$most" ] && idles; }; do
		wait_for_one
	done
	end_one "$i" &
	running=$((running + 1))
done
while [ "$running" -gt 0 ] || [ -n "$next" ]; do
	wait_for_one
done
wait
# Again at the end, where people look.
for i in "${!names[@]}"; do
	[ -e "$work/$i.told" ] || { echo "FAILED: ${names[i]}: it has no sum, or was not counted"; sum_failed=$((sum_failed + 1)); }
	[ -e "$work/$i.failed" ] && echo "FAILED: ${names[i]}" && tail -n 12 "$work/$i.failed"
done
# Which suites take the time: elapsed seconds, and processor seconds of the suite and its children.
if [ "${#names[@]}" -gt 15 ]; then
	echo "slowest suites:  elapsed  processor"
	sort -rn "$work/seconds" | head -n 15 | awk '{ printf "  %-28s %6.1f s %6d s\n", $3, $1 / 10, $2 }'
	awk -v from="$run_start" -v to="${EPOCHREALTIME%.*}" '{ n++; s += $1 / 10; c += $2 }
		END { printf "%d suites in %d s; one after the other %d s, processor %d s\n", n, to - from, s, c }' "$work/seconds"
fi
[ $sum_left -eq 0 ] || echo "$sum_left left out, see above"
echo "$sum_passed passed, $sum_failed failed"
[ $sum_failed -eq 0 ] && [ $sum_passed -gt 0 ]
