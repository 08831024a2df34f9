# is.sh: what suites in bash share: a folder to work in, checks, their sum. To be sourced from the top of the tree, after "set -u":
#
#	. tests/kit/is.sh
#	work_in "${TMPDIR:-/tmp}" build      # $work is build.XXXXXX there, and is removed at the end
#	is "what was built runs" "$work/build/tracetool" --version
#	finish                               # "N passed, N failed", and the exit status
passed=0 failed=0

work_in() {
	work=$(mktemp -d "$1/$2.XXXXXX") || exit 1
	trap 'rm -rf --one-file-system "$work"' EXIT
}

# is NAME COMMAND...: the command must succeed; what it says is shown where it does not.
is() {
	local name=$1
	shift
	if "$@" > "$work/out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		tail -n 60 "$work/out" | cut -c 1-300 | sed 's/^/    /'
	fi
}

# A command as a user calls it, without what make and run.sh have set.
as_user() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u OPT -u BUILD -u TT_SANITIZED "$@"; }

# leave_out WHAT WHY: the whole suite cannot be tried here.
leave_out() {
	echo "left out: $1: $2"
	finish
}

finish() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
}
