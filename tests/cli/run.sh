#!/usr/bin/env bash
# run.sh [--write] [CASE...]: run the command-line cases and compare what they print.
#
# A case is a directory here:
#	cmd              the command, run by bash in an empty directory of its own
#	stdout, stderr   what it prints, byte for byte; neither this nor .glob: nothing
#	stdout.glob, stderr.glob
#	                 the same in patterns of bash, line by line; a line "..." is any number of lines
#	exit             the exit status; none: 0
# There @{KEY|WHAT|...} is the sentence of that key in tests/words.txt, which has those that several tests expect.
# In the environment: `tracetool` is the program under test, `columns` picks columns of CSV (tests/kit/columns.py), $DATA the folder of
# captures, $CASE that of the case; where the folders are printed they are compared as "DATA" and "CASE".
#
# --write puts what was printed into the files without .glob, with references for sentences; read the diff before committing it.
# TT_SLOW: how many times as long as usual a case may take. TT_MISSING: tools that are not installed; cases that name one are left out, as is
# each "cli/CASE" that matches TT_NOT. Among many suites of check (TT_SET) 60 cases are drawn by lot. The last line is "N passed, N failed".
set -u
here=$(realpath "$(dirname "$0")")
TRACETOOL=$(realpath "${TRACETOOL:-$here/../../build/tracetool}")
DATA=$(realpath "$here/../../testdata")
export DATA
write=; [ "${1:-}" = --write ] && { write=1; shift; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tracetool-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$TRACETOOL" "$work/bin/tracetool"
ln -s "$here/../kit/columns.py" "$work/bin/columns"
export PATH=$work/bin:$PATH

# Does file $1 match the patterns in $2?
matches() {
	local -a have want
	local i=0 j=0 star=-1 mark=0
	mapfile -t have < "$1"
	mapfile -t want < "$2"
	while [ $i -lt ${#have[@]} ]; do
		if [ $j -lt ${#want[@]} ] && [ "${want[j]}" = ... ]; then
			star=$j mark=$i
			j=$((j + 1))
		elif [ $j -lt ${#want[@]} ] && [[ ${have[i]} == ${want[j]} ]]; then
			i=$((i + 1)) j=$((j + 1))
		elif [ $star -ge 0 ]; then
			mark=$((mark + 1))
			i=$mark j=$((star + 1))
		else
			return 1
		fi
	done
	while [ $j -lt ${#want[@]} ] && [ "${want[j]}" = ... ]; do
		j=$((j + 1))
	done
	[ $j -eq ${#want[@]} ]
}

# Print the expected output $1, or nothing if there is none, with sentences for references.
expected() { [ ! -e "$1" ] || awk -f "$here/../kit/words.awk" "$here/../words.txt" "$1"; }

# Compare stream $1 of case $2, printed to folder $3, with what is expected of it.
compare() {
	local have=$3/$1 want=$2/$1
	if [ -e "$want.glob" ]; then
		expected "$want.glob" > "$3/patterns"
		matches "$have" "$3/patterns" && return 0
		echo "$1 does not match $1.glob; it is:"
		head -n 30 "$have"
		return 1
	fi
	if [ -n "$write" ]; then
		rm -f "$want"
		[ ! -s "$have" ] || { cp "$have" "$want" && "$here/../kit/words.py" refer "$want"; }
		return 0
	fi
	diff -u --label "$1 expected" --label "$1" <(expected "$want") "$have" | head -n 40
	return "${PIPESTATUS[0]}"
}

# Run case $1 in folder $2, and leave there what is wrong with it ("told"), and "passed" if nothing is.
one() {
	local case=$1 at=$2 code want=0 good=1
	mkdir -p "$at/run"
	(cd "$at/run" && CASE=$case timeout $((120 * ${TT_SLOW:-1})) bash "$case/cmd") > "$at/stdout" 2> "$at/stderr" < /dev/null
	code=$?
	sed -i "s|$DATA|DATA|g; s|$case|CASE|g" "$at/stdout" "$at/stderr"
	[ -e "$case/exit" ] && want=$(cat "$case/exit")
	if [ -n "$write" ]; then
		rm -f "$case/exit"
		[ $code -eq 0 ] || echo $code > "$case/exit"
		want=$code
	fi
	{
		[ $code -eq "$want" ] || { echo "exit status $code, not $want"; good=; }
		compare stdout "$case" "$at" || good=
		compare stderr "$case" "$at" || good=
	} > "$at/told" 2>&1
	rm -rf "$at/run"
	[ -z "$good" ] || : > "$at/passed"
}

# Cases wait more than they work: several at a time.
cases=() running=0
if [ $# -eq 0 ]; then
	set -- "$here"/*/
	[ "${TT_SET:-}" != check ] || [ -n "${TT_ONLY:-}" ] || set -- $(python3 "$here/../kit/lot.py" 60 cli "$@")
fi
for case in "$@"; do
	[ -e "$case/cmd" ] || case=$here/$case
	missing=
	for tool in ${TT_MISSING:-}; do
		! grep -qE "(^|[^.[:alnum:]_-])$tool([^.[:alnum:]_-]|\$)" "$case/cmd" || missing="$missing $tool"
	done
	if [ -n "$missing" ]; then
		echo "left out: $(basename "$case"): not installed:$missing"
	elif [[ cli/$(basename "$case") =~ ${TT_NOT:-^$} ]]; then
		echo "left out: $(basename "$case"): TT_NOT=$TT_NOT"
	else
		cases+=("$(realpath "$case")")
	fi
done
for i in "${!cases[@]}"; do
	if [ $running -ge 4 ]; then
		wait -n
		running=$((running - 1))
	fi
	one "${cases[i]}" "$work/$i" &
	running=$((running + 1))
done
wait
passed=0 failed=0
for i in "${!cases[@]}"; do
	if [ -e "$work/$i/passed" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "--- $(basename "${cases[i]}")"
		cat "$work/$i/told"
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
