#!/bin/bash
# cross.sh: the recorder for other systems, built by their compilers, records a small game (smoke.c) under an emulator, and
# tracetool reads the capture. Run from the top of the tree with BUILD, TRACETOOL and TMPDIR set.
passed=0 failed=0
flags='-std=gnu11 -O2 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -Iformats -Itests/host'
host='tests/host/smoke.c tests/host/engine.c'
work=$(mktemp -d "${TMPDIR:-/tmp}/cross.XXXXXX")
trap 'rm -rf "$work"' EXIT

result() {
	if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "cross.sh: $2"; fi
}

# Play with plug-in $2 by the command after it; the capture has what was sent.
try() {
	local name=$1 plugin=$2 file=$work/$1.ttc
	shift 2
	timeout 120 "$@" "$plugin" "$file" >"$work/log" 2>&1 || { result 1 "$name: $(tail -n 3 "$work/log")"; return; }
	"$TRACETOOL" stats "$file" --table threads --format csv >"$work/csv" 2>&1
	python3 - "$work/csv" <<'END'
import csv, sys
lines = [l for l in open(sys.argv[1]) if not l.startswith('#')]
rows = {r['thread']: r for r in csv.DictReader(lines) if r.get('thread')}
calls = lambda t: int(rows[t]['count'] if 'count' in rows[t] else rows[t]['calls'])
assert calls('Main Thread') == 5000 and calls('Worker') == 1000, rows
END
	result $? "$name: $(cat "$work/csv")"
}

make -s BUILD="$BUILD" unity-aarch64 unity-windows >"$work/make" 2>&1
result $? "$(tail -n 5 "$work/make")"
aarch64-linux-gnu-gcc $flags -rdynamic -o "$work/aarch64" $host -pthread -ldl &&
	try aarch64 "$BUILD/aarch64/libtracetool-unity.so" qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/aarch64"
x86_64-w64-mingw32-gcc $flags -DWIN32_LEAN_AND_MEAN -o "$work/game.exe" $host -static -lpthread &&
	WINEDEBUG=-all WINEPREFIX=$work/wine try windows "$BUILD/windows/libtracetool-unity.dll" wine "$work/game.exe"
make -s BUILD="$BUILD/arm" CC=arm-linux-gnueabihf-gcc OPT='-O2 -g -Werror' "$BUILD/arm/libtracetool-unity.so" >"$work/make" 2>&1
result $? "arm: $(tail -n 5 "$work/make")"
arm-linux-gnueabihf-gcc $flags -rdynamic -o "$work/arm" $host -pthread -ldl &&
	try arm "$BUILD/arm/libtracetool-unity.so" qemu-arm -L /usr/arm-linux-gnueabihf "$work/arm"
# The program itself is not for 32 bits, and says so.
arm-linux-gnueabihf-gcc $flags -fsyntax-only lib/base/err.c 2>&1 | grep -q 'error.*64-bit little-endian'
result $? "arm: the program does not refuse it"
make -s BUILD="$BUILD/musl" CC=musl-gcc LDLIBS= "$BUILD/musl/libtracetool-unity.so" >"$work/make" 2>&1
result $? "musl: $(tail -n 5 "$work/make")"
musl-gcc $flags -rdynamic -o "$work/musl" $host -pthread -ldl &&
	try musl "$BUILD/musl/libtracetool-unity.so" "$work/musl"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
