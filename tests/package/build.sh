#!/usr/bin/env bash
# build.sh: who packages the program builds it with a compiler and flags of their own, and finds it where they install.
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/kit/is.sh
work_in "${TMPDIR:-/tmp}" build
make() { as_user make -s BUILD="$work/build" "$@"; }

is "clang builds without a warning, with CFLAGS and CPPFLAGS of the user's own" \
	make -j2 CC="${CLANG:-clang}" CFLAGS='-O0 -Werror' CPPFLAGS=-DX LDFLAGS=-Wl,-z,now
is "what was built runs" "$work/build/tracetool" --version
is "it installs below DESTDIR" make install CC="${CLANG:-clang}" CFLAGS='-O0 -Werror' CPPFLAGS=-DX LDFLAGS=-Wl,-z,now DESTDIR="$work/root" PREFIX=/usr
is "what was installed runs" "$work/root/usr/bin/tracetool" --version
headers() {
	printf '#include <tracetool_%s.h>\n' unity mono | "${CLANG:-clang}" -x c -Werror -fsyntax-only -I "$work/root/usr/include" -
}
is "the headers of the recorders' functions are installed" headers
# Databases: without pkg-config they are there where the header is, and without libsqlite3 that is said.
has_databases() { make -n -B PKG_CONFIG=false "$work/build/lib/sql/db.o" | grep -q -e -DTT_SQLITE; }
is "pkg-config is not needed for databases" has_databases
less() {
	make -j2 CC="${CLANG:-clang}" CFLAGS='-O0 -Werror' SQLITE= "$work/build/tracetool" > "$work/made" 2>&1
	cat "$work/made"
	grep -q libsqlite3-dev "$work/made"
}
is "clang builds without SQLite, and make says what is missing" less
refused() { "$work/build/tracetool" "$@" 2> "$work/said"; [ $? = 2 ] && grep -q 'install libsqlite3-dev' "$work/said" || { cat "$work/said"; return 1; }; }
is "the program says so, too, for convert" refused convert testdata/demo/good-hitches.ttc.xz -o "$work/game.sqlite"
is "for batch" refused batch -o "$work/batch" --to-db "$work/night.sqlite" testdata/demo
is "for query" refused query "$work/night.sqlite" 'SELECT 1'
is "and for lists" sh -c '"$0" list emitters | grep -q "sqlite.*not here"' "$work/build/tracetool"
is "setup never removes a package" sh -c 'make -n setup | grep -q "apt-get install .*--no-remove"'
# The packages that setup looks for beside these goals.
wanted() { make -n setup "$@" | sed -n 's/^.*for p in \(.*\); do.*/\1/p' | tr -s ' '; }
program=$(wanted)
few() { echo "$1"; set -- $1; [ $# -gt 0 ] && [ $# -le 7 ]; }
is "setup installs at most seven packages for the program" few "$program"
is "setup demo installs no others" [ "$(wanted demo)" = "$program" ]
is "setup check-quick adds python3" [ "$(wanted check-quick)" = "$(echo "$program" | sed 's/ *$/ python3 /')" ]
tests_too() { case " $(wanted "$1") " in *" valgrind "*) ;; *) return 1 ;; esac && make -n setup "$1" | grep -q validators/install.sh; }
is "setup check installs what tests need" tests_too check
is "setup-check does so alone" sh -c 'make -n setup-check | grep -q "for p in .*valgrind"'
# The order of the goals holds with -j, too: nothing is built before setup is over.
order() { make -n -j4 setup "$1" | awk '/apt-get install/ { s = NR } / -c -o |run.sh check/ && !b { b = NR } END { exit !(s && b && s < b) }'; }
is "setup comes before the build" order all
is "setup comes before the tests" order check

finish
