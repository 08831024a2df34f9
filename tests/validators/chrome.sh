#!/bin/sh
# chrome.sh [TRACETOOL [CAPTURE...]]: Chrome JSON in the programs that will read it.
#
# Each capture is converted in both forms (complete events; begin and end), loaded in Perfetto's real
# trace_processor (which must report no error and no data loss) and in the trace engine of Chrome's
# DevTools, and what they hold is compared with an independent reader of the capture (tests/oracle):
# every zone with its thread, name, start, duration and depth. Begins and ends are loaded in speedscope, too, which must not warn.
#
# TRACETOOL defaults to the environment's, then to build/tracetool; captures to some of testdata/mlpd,
# or to all of them where TT_SET is all. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/install.sh" >&2 || exit 1
[ $# -gt 0 ] || set -- "${TRACETOOL:-$here/../../build/tracetool}"
exec python3 "$here/chrome_check.py" "$@"
