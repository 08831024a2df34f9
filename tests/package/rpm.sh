#!/usr/bin/env bash
# rpm.sh: RPM packages, as far as rpmbuild and rpm of another system can try them: they are built, hold what `make install` installs, run when
# they are installed below another root, and are erased without a rest. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/kit/is.sh
command -v rpmbuild > /dev/null || leave_out "RPM packages" "rpmbuild is not installed"
[ -z "${TT_SANITIZED:-}" ] || leave_out "RPM packages" "they are built without sanitizers"
work_in "${TMPDIR:-/tmp}" rpm
version=$(sed -n 's/^#define TT_VERSION "\(.*\)"/\1/p' cmd/version.h)

# rpm knows no package of this system; the quick tests have their own suites.
is "make rpm builds them" as_user make -s BUILD="$work/build" rpm RPM_OPTIONS='--nodeps --nocheck'
is "two packages, and their source" [ "$(find "$work/build/rpm" -name '*.rpm' | wc -l)" = 3 ]
programs=$(find "$work/build/rpm/RPMS" -name 'tracetool*.rpm')
db() { rpm --root "$work/root" --dbpath /db "$@"; }
is "they are installed" db -i --nodeps --nosignature $programs
is "the program runs" [ "$("$work/root/usr/bin/tracetool" --version)" = "tracetool $version" ]
files() { (cd "$1" && find . ! -type d ! -path './db/*' ! -path '*/.build-id/*' | sort); }
is "make install" as_user make -s BUILD="$BUILD" install DESTDIR="$work/made" PREFIX=/usr LIBDIR="$(rpm --eval %_libdir)"
same() { diff <(files "$work/made") <(files "$work/root"); }
is "they hold what make install installs, and nothing else" same
recorded() {
	mcs -out:"$work/GameLoop.exe" -r:System.Core.dll tests/system/mono/GameLoop.cs &&
		"$work/root/usr/bin/tracetool" record -p calls,frame=World:Frame -o "$work/game.ttc" -- mono "$work/GameLoop.exe" 30 5
}
if command -v mono mcs > /dev/null; then is "the program finds the recorder for Mono" recorded; fi
is "they are erased" db -e --nodeps tracetool tracetool-recorder
nothing() { files "$work/root" | tee "$work/left"; [ ! -s "$work/left" ]; }
is "and nothing is left" nothing
finish
