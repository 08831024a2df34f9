#!/usr/bin/env bash
# debian.sh: Debian's packages, as Debian makes and uses them: built in a clean Debian by dpkg-buildpackage with the quick tests, looked at
# by lintian, installed in another clean one where an ordinary user does what README.md shows, removed, purged. "debian.sh bare": the quick
# tests of the release's sources without network, with gcc, make, the three libraries and python3 alone. "debian.sh arm64": the packages
# for arm64, cross-built, and the quick tests by qemu, which a user namespace registers for itself alone.
#
# Needs root, and Debian's mirror: DEBIAN_MIRROR, default http://deb.debian.org/debian. TT_DEBIAN=FOLDER keeps the clean Debian there, to be
# used again. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
part=${1:-amd64}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian} suite=${DEBIAN_SUITE:-bookworm}
. tests/kit/is.sh
here() { leave_out "packages in a clean Debian ($part)" "$1"; }
[ "$(id -u)" = 0 ] || here "not run as root"
[ "$(dpkg --print-architecture)" = amd64 ] || here "this machine is not amd64"
curl -fsI --max-time 20 "$mirror/dists/$suite/Release" > /dev/null || here "$mirror does not answer"

work_in /var/tmp debian
base=${TT_DEBIAN:-$work/base}
version=$(sed -n 's/^#define TT_VERSION "\(.*\)"/\1/p' cmd/version.h)

# debian PLACE COMMANDS: run by sh as root in a clean Debian; what they change there, the next ones with the same PLACE find.
debian() { as_user env -u TMPDIR .packaging/chroot.sh in "$base" "$work/$1" sh -c "$2"; }
install="apt-get install -qy --no-install-recommends"
# unpack PLACE: the sources, as released, in /home/user of it.
unpack() {
	mkdir -p "$work/$1/upper/home" && cp "$work/sources/release/tracetool-$version.tar.gz" "$work/$1/upper/home" &&
		debian "$1" "useradd -m user && cd /home/user && tar -xzf ../tracetool-$version.tar.gz && chown -R user: ."
}
# Of the quick tests, which ran last: how many.
quick_tests() { grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/out" | tail -n 1 | sed 's/^/quick tests: /'; }
tree=/home/user/tracetool-$version
is "the sources are packed" as_user make -s BUILD="$work/sources" sources
[ -e "$base/usr/bin/dpkg" ] || is "Debian's mirror gives a clean Debian" .packaging/chroot.sh make "$base"

# --- the release's sources alone ---------------------------------------------------------------------
if [ "$part" = bare ]; then
	is "bare: make and python3" debian bare "apt-get update -q && $install make python3"
	is "bare: unpacked" unpack bare
	is "bare: make setup installs the rest" debian bare "cd $tree && make setup"
	NO_NETWORK=1 is "bare: make check-quick, without network" debian bare "cd $tree && su user -c 'make check-quick'"
	quick_tests
	finish
fi

# --- arm64 -------------------------------------------------------------------------------------------
if [ "$part" = arm64 ]; then
	is "arm64: make" debian arm64 "apt-get update -q && $install make"
	is "arm64: unpacked" unpack arm64
	is "arm64: make setup-deb-arm64" debian arm64 "cd $tree && make setup-deb-arm64"
	is "arm64: make deb-arm64 cross-builds the packages" debian arm64 "cd $tree && su user -c 'make deb-arm64'"
	is "arm64: the packages' files are in arm64's place, and run" debian arm64 "cd $tree/build/deb-arm64 && dpkg -x tracetool_*_arm64.deb root &&
		dpkg -x tracetool-recorder_*_arm64.deb root && [ -e root/usr/lib/aarch64-linux-gnu/tracetool/libmono-profiler-tracetool.so ] &&
		grep -q complete root/usr/share/bash-completion/completions/tracetool &&
		[ \"\$(qemu-aarch64 root/usr/bin/tracetool --version)\" = 'tracetool $version' ]"
	is "arm64: the quick tests under qemu" debian arm64 "cd $tree && su user -c 'make check-quick-arm64'"
	quick_tests
	finish
fi

# --- amd64: build, install, run, remove --------------------------------------------------------------
is "build: make and lintian" debian build "apt-get update -q && $install make lintian"
is "build: unpacked" unpack build
is "build: make setup-deb" debian build "cd $tree && make setup-deb"
is "build: dpkg-buildpackage, with the quick tests" debian build "cd $tree && su user -c 'make deb'"
quick_tests
is "build: lintian finds no error and no warning" debian build "cd $tree/build/deb &&
	su user -c 'lintian --fail-on error,warning -i *.changes *.dsc'"


made=$work/build/upper$tree/build/deb
mkdir -p "$work/use/upper/home"
cp "$made"/tracetool{,-recorder}_"$version"-*_amd64.deb "$work/use/upper/home"
is "use: Mono and a user" debian use "apt-get update -q &&
	$install mono-runtime mono-mcs libmono-system-core4.0-cil && useradd -m user && mkdir /home/user/in && chown user: /home/user/in"
cp testdata/demo/good-hitches.ttc.xz tests/system/mono/GameLoop.cs "$work/use/upper/home/user/in/"
cp -R .packaging/debian/tests "$work/use/upper/home/"
is "use: installs with its libraries" debian use "apt-get install -qy --no-install-recommends /home/*.deb"
is "use: the tests of the package, as a user" debian use "cd /home/user/in && mkdir -p testdata/demo tests/system/mono &&
	cp good-hitches.ttc.xz testdata/demo && cp GameLoop.cs tests/system/mono && chown -R user: . &&
	for t in stats record; do
		mkdir /home/user/\$t && chown user: /home/user/\$t && su user -c \"AUTOPKGTEST_TMP=/home/user/\$t sh -e /home/tests/\$t\" || exit 1
	done"
is "use: pages and completions are there" debian use "for f in man/man1/tracetool-record.1.gz zsh/vendor-completions/_tracetool \
	bash-completion/completions/tracetool fish/vendor_completions.d/tracetool.fish; do [ -s /usr/share/\$f ] || { echo \$f; exit 1; }; done"
is "use: nothing it links with is missing" debian use "! ldd /usr/bin/tracetool /usr/lib/*/tracetool/*.so | grep 'not found'"
is "use: removed and purged, and nothing is left" debian use "apt-get remove -qy tracetool tracetool-recorder &&
	apt-get purge -qy tracetool tracetool-recorder &&
	find / -xdev -name '*tracetool*' -not -path '/proc/*' -not -path '/home/*' -not -path '/var/cache/*' | grep . && exit 1; exit 0"
finish
