#!/bin/sh
# perfetto.sh [TRACETOOL]: Perfetto's native format in Perfetto's real engine.
#
# Captures are converted and loaded in trace_processor, which must report no error and no lost data. Zones with thread, name, time,
# length and depth, instants, counters with their units, samples, labels are those of our CSV; frames and flows those that our Chrome
# JSON says. A file that is cut anywhere loads. Each file is also read by a reader of our own (tests/oracle/pftrace.py), which knows the
# public description alone.
#
# TRACETOOL defaults to the environment's, then to build/tracetool. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/install.sh" >&2 || exit 1
[ $# -gt 0 ] || set -- "${TRACETOOL:-$here/../../build/tracetool}"
exec python3 "$here/perfetto_check.py" "$1" "$(dirname "$(realpath "$1")")"
