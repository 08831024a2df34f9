#!/bin/sh
# zone_order.sh [TRACETOOL]: zones of length 0 at one time with others, as Perfetto's engine and speedscope nest them: see zone_order.py.
#
# TRACETOOL defaults to the environment's, then to build/tracetool. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/install.sh" >&2 || exit 1
exec python3 "$here/zone_order.py" "${1:-${TRACETOOL:-$here/../../build/tracetool}}"
