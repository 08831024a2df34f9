#!/bin/sh
# firefox.sh [TRACETOOL [CAPTURE...]]: profiles for the Firefox Profiler in that program's own code: see firefox_check.py.
#
# TRACETOOL defaults to the environment's, then to build/tracetool, the captures to some of testdata. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/install.sh" >&2 || exit 1
[ $# -gt 0 ] || set -- "${TRACETOOL:-$here/../../build/tracetool}"
exec python3 "$here/firefox_check.py" "$@"
