#!/bin/sh
# pprof.sh [TRACETOOL [CAPTURE...]]: pprof output in the real `go tool pprof`.
#
# Each capture is converted; -raw, -top and -traces must take the profile, and what they print is compared
# with an independent reader of the capture (tests/oracle): calls and self time of every method, objects
# and bytes of every class and thread, samples of every leaf. pprof-format, which shares nothing with Go's, must
# find the same in the same bytes.
#
# Arguments as for chrome.sh. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "${TRACETOOL:-$here/../../build/tracetool}"
exec python3 "$here/pprof_check.py" "$@"
