#!/usr/bin/env bash
# run.sh [--write] [CASE...]: run the command-line cases and compare what they print.
#
# A case is a directory here:
#	cmd              the command, run by bash in an empty directory of its own
#	stdout, stderr   what it prints, byte for byte; neither this nor .glob: nothing
#	stdout.glob, stderr.glob
#	                 the same in patterns of bash, line by line; a line "..." is any number of lines
#	exit             the exit status; none: 0
# In the environment: `tracetool` is the program under test, $DATA the folder of captures, $CASE that of the case;
# where they are printed they are compared as "DATA" and "CASE".
#
# --write puts what was printed into the files without .glob; read the diff before committing it.
# The last line is "N passed, N failed".
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

# Compare stream $1 of case $2 with what is expected of it.
compare() {
	local have=$work/$1 want=$2/$1
	if [ -e "$want.glob" ]; then
		matches "$have" "$want.glob" && return 0
		echo "$1 does not match $1.glob; it is:"
		head -n 30 "$have"
		return 1
	fi
	if [ -n "$write" ]; then
		rm -f "$want"
		[ -s "$have" ] && cp "$have" "$want"
		return 0
	fi
	[ -e "$want" ] || want=/dev/null
	diff -u --label "$1 expected" --label "$1" "$want" "$have" | head -n 40
	return "${PIPESTATUS[0]}"
}

passed=0 failed=0
[ $# -gt 0 ] || set -- "$here"/*/
for case in "$@"; do
	case=$(realpath "$case" 2>/dev/null) && [ -e "$case/cmd" ] || case=$(realpath "$here/$1")
	name=$(basename "$case")
	rm -rf "$work/run"
	mkdir "$work/run"
	(cd "$work/run" && CASE=$case timeout 60 bash "$case/cmd") > "$work/stdout" 2> "$work/stderr" < /dev/null
	code=$?
	sed -i "s|$DATA|DATA|g; s|$case|CASE|g" "$work/stdout" "$work/stderr"
	want=0
	[ -e "$case/exit" ] && want=$(cat "$case/exit")
	if [ -n "$write" ]; then
		rm -f "$case/exit"
		[ $code -eq 0 ] || echo $code > "$case/exit"
		want=$code
	fi
	{
		good=1
		[ $code -eq "$want" ] || { echo "exit status $code, not $want"; good=; }
		compare stdout "$case" || good=
		compare stderr "$case" || good=
	} > "$work/told"
	if [ -n "$good" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "--- $name"
		cat "$work/told"
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
