#!/bin/sh
# common.sh write|check PAGE...: keep what several pages share the same in all of them.
#
# Whoever opens the page of a command finds, and can search for, every option it takes. tracetool-options(7) has all shared ones.
#
# A page holds copies of man/NAME.in between the lines
#	.\" begin NAME.in
#	.\" end NAME.in
# "write" puts in the present text; "check" names the pages where it differs, exit status 1.
mode=$1
shift
dir=$(dirname "$0")
status=0
for page in "$@"; do
	new=$(mktemp) || exit 1
	awk -v dir="$dir" '
		/^\.\\" begin .*\.in$/ { print; file = dir "/" $3
			while ((got = (getline line < file)) > 0) print line
			if (got < 0) { print "cannot read " file > "/dev/stderr"; exit 1 }
			close(file); skip = 1; next }
		/^\.\\" end .*\.in$/ { skip = 0 }
		!skip { print }' "$page" > "$new" || exit 1
	if ! cmp -s "$new" "$page"; then
		if [ "$mode" = write ]; then
			cat "$new" > "$page"
		else
			echo "$page: differs from the shared text: run \"make man\""
			status=1
		fi
	fi
	rm -f "$new"
done
exit $status
