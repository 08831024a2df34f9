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
is "setup never removes a package" sh -c 'make -n setup | grep -q "apt-get install .*--no-remove"'
# The packages that setup looks for beside these goals.
wanted() { make -n setup "$@" | sed -n 's/^.*for p in \(.*\); do.*/\1/p' | tr -s ' '; }
program=$(wanted)
few() { echo "$1"; set -- $1; [ $# -gt 0 ] && [ $# -le 8 ]; }
is "setup installs at most eight packages for the program" few "$program"
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
