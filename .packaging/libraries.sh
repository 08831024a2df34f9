#!/bin/sh
# libraries.sh PREFIX HOST [WORK]: build the libraries that tracetool.exe and tracetool.wasm contain, static ones, from Debian's sources, into PREFIX. HOST is
# x86_64-w64-mingw32, or another one with a HOST-gcc, or wasm32-unknown-emscripten. Versions are pinned here, up to Debian's own revision; files are checked by
# apt's signed lists. A library that PREFIX has is left as it is.
# The sources and what is built of them lie in WORK (PREFIX.work).
set -eu
prefix=$(mkdir -p "$1" && realpath "$1")
host=$2
work=${3:-$prefix.work}
mkdir -p "$work"
work=$(realpath "$work")
mkdir -p "$prefix/include" "$prefix/lib" "$prefix/built"
jobs=$(nproc)
export SOURCE_DATE_EPOCH=0
case $host in
*-emscripten)
	CC=emcc AR=emar RANLIB=emranlib system=Generic windows=
	# tools/acorn of Debian's emscripten is where Debian's node looks, and others do not
	export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
	FLAGS="-O2 -g0" ;;
*)
	CC=$host-gcc AR=$host-ar RANLIB=$host-ranlib system=Windows windows=yes
	FLAGS="-O2 -g0 -ffunction-sections -fdata-sections -D_FORTIFY_SOURCE=2 -fstack-protector-strong" ;;
esac

# Lists of Debian's sources of their own: the system's configuration stays as it is.
apt() {
	tool=$1
	shift
	"apt-$tool" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" \
		-o APT::Get::List-Cleanup=0 -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch_lists() {
	mkdir -p "$work/parts" "$work/lists/partial"
	cat /etc/apt/sources.list.d/*.sources 2> /dev/null | sed 's/^Types:.*/Types: deb-src/' > "$work/parts/debian.sources"
	sed -n 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null > "$work/parts/debian.list" || :
	apt get -qq update
}

# fetch NAME VERSION: unpack the newest of Debian's revisions of VERSION that can be had.
fetch() {
	for revision in $(apt cache showsrc "$1" | sed -n 's/^Version: //p' | grep -F "$2" | sort -Vru); do
		! apt get -qq source "$1=$revision" || return 0
	done
	echo "libraries.sh: Debian's sources have no $1 $2 here" >&2
	return 1
}

# library NAME VERSION: unpack Debian's source, with Debian's patches, into a new folder and go there; false if PREFIX has that version.
library() {
	name=$1 version=$2
	stamp=$prefix/built/$name-$version
	[ ! -e "$stamp" ] || return 1
	[ -d "$work/lists/partial" ] || fetch_lists
	echo "  $name $version" >&2
	rm -rf "${work:?}/$name"
	mkdir -p "$work/$name"
	cd "$work/$name"
	fetch "$name" "$version" > log 2>&1 || { cat log >&2; exit 1; }
	cp ./*/debian/copyright "$prefix/built/$name.copyright"
	cd ./*/
}

built() {
	rm -f "$prefix/built/$name"-*
	: > "$stamp"
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" > "$work/$name/log" 2>&1 || { tail -n 40 "$work/$name/log" >&2; echo "libraries.sh: $name: $* failed" >&2; exit 1; }
}

by_configure() {
	quietly env CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="$FLAGS" CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" \
		./configure --host="$host" --prefix="$prefix" --enable-static --disable-shared --disable-dependency-tracking "$@"
}

if library zlib 1.2.13; then
	quietly $CC $FLAGS -c adler32.c compress.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c
	"$AR" rcs "$prefix/lib/libz.a" ./*.o
	cp zlib.h zconf.h "$prefix/include/"
	built
fi
if library bzip2 1.0.8; then
	quietly make CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="$FLAGS" libbz2.a
	cp bzlib.h "$prefix/include/"
	cp libbz2.a "$prefix/lib/"
	built
fi
if library xz-utils 5.4.1; then
	by_configure --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-lzma-links --disable-scripts --disable-doc --disable-nls
	quietly make -j"$jobs" install
	built
fi
if library lz4 1.9.4; then
	quietly make -C lib CC="$CC" AR="$AR" CFLAGS="$FLAGS" TARGET_OS=${windows:+MINGW} liblz4.a
	cp lib/lz4.h lib/lz4hc.h lib/lz4frame.h "$prefix/include/"
	cp lib/liblz4.a "$prefix/lib/"
	built
fi
if library libzstd 1.5.4; then
	quietly make -C lib -j"$jobs" CC="$CC" AR="$AR" CFLAGS="$FLAGS" TARGET_SYSTEM=${windows:+Windows_NT} ZSTD_LEGACY_SUPPORT=0 libzstd.a
	cp lib/zstd.h lib/zstd_errors.h lib/zdict.h "$prefix/include/"
	cp lib/libzstd.a "$prefix/lib/"
	built
fi
if library jansson 2.14; then
	quietly cmake -DCMAKE_SYSTEM_NAME=$system -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS" -DCMAKE_INSTALL_PREFIX="$prefix" \
		-DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON -B out .
	quietly cmake --build out --target install
	built
fi
# Regular expressions: those of musl, which emscripten has, and which need nothing of its C library but a word for translations.
if [ "$windows" ] && library musl 1.2.3; then
	mkdir out
	cp include/regex.h "$prefix/include/"
	sed -i '/#include <features.h>/d; s/#include <bits\/alltypes.h>/#include <stddef.h>\ntypedef ptrdiff_t regoff_t;/' "$prefix/include/regex.h"
	echo '#define LCTRANS_CUR(text) (text)' > out/locale_impl.h
	for part in regcomp regexec regerror tre-mem; do
		quietly $CC $FLAGS -std=gnu99 -w -Iout -I"$prefix/include" -Dhidden= -DCHARCLASS_NAME_MAX=14 -DRE_DUP_MAX=255 -c -o "out/$part.o" \
			"src/regex/$part.c"
	done
	"$AR" rcs "$prefix/lib/libregex.a" out/*.o
	built
fi
# As Debian builds it, where that shows in a file: deleted content is overwritten.
if library sqlite3 3.40.1; then
	quietly ./configure --disable-tcl --disable-readline
	quietly make sqlite3.c
	quietly "$CC" $FLAGS -DSQLITE_SECURE_DELETE -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_COLUMN_METADATA \
		-DSQLITE_MAX_VARIABLE_NUMBER=250000 -c -o sqlite3.o sqlite3.c
	"$AR" rcs "$prefix/lib/libsqlite3.a" sqlite3.o
	cp sqlite3.h "$prefix/include/"
	built
fi
if library libarchive 3.6.2; then
	# Debian's patches make some of these older than what they are made of; autoconf is not needed for that.
	touch aclocal.m4 && touch configure config.h.in Makefile.in
	by_configure --disable-bsdtar --disable-bsdcat --disable-bsdcpio --disable-acl --disable-xattr --without-xml2 --without-expat --without-openssl \
		--without-nettle --without-iconv --without-cng --without-libb2
	quietly make -j"$jobs" libarchive.la
	quietly make install-libLTLIBRARIES install-includeHEADERS
	built
fi
