#!/bin/sh
# duckdb.sh [TRACETOOL]: what convert and batch write to databases, recounted by DuckDB.
#
# Every table and view, as `tracetool query` prints it, is read by DuckDB's strict reader of CSV, and its rows and numbers by that of JSON;
# whole numbers must be found to be such. Rows, sums, and the ten questions of `query --examples`, asked in DuckDB's own SQL, are those of
# SQLite and of stats. Where DuckDB's extension for SQLite is installed, it reads the files themselves as well; a line says where it is not.
#
# TRACETOOL defaults to the environment's, then to build/tracetool. Ends with "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/install.sh" >&2 || exit 1
TRACETOOL=$(realpath "${1:-${TRACETOOL:-$here/../../build/tracetool}}")
BUILD=${BUILD:-$(dirname "$TRACETOOL")}
export TRACETOOL BUILD
exec python3 "$here/duckdb_check.py"
