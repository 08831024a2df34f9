#!/usr/bin/env bash
# system_clock.sh: without the processor's counter the same events are recorded, game threads still make no system call,
# and the capture says which clock it is of.
set -u
build=${BUILD:-build}
capture=$(mktemp -d "${TMPDIR:-/tmp}/tracetool-clock.XXXXXX")/game.ttc || exit 1
trap 'rm -rf "$(dirname "$capture")"' EXIT
pass=0 fail=0

check() {
	if eval "$2" >"$capture.log" 2>&1; then
		pass=$((pass + 1))
	else
		fail=$((fail + 1)) && printf 'not so: %s\n' "$1" && tail -20 "$capture.log"
	fi
}
clock() {
	"$build/tracetool" info --format json "$capture" | python3 -c 'import json, sys
print(json.load(sys.stdin)["tables"]["capture"]["rows"][0]["clock"])'
}

export TRACETOOL_CLOCK=system
check 'every event of the game is in the capture' "$build/host/equal"
check 'game threads make no system call' "$build/host/quiet"
check 'totals are those of the host' "$build/host/host capture=$capture frames=60"
check 'info names the clock' '[ "$(clock)" = system ]'
unset TRACETOOL_CLOCK
check 'left to itself it takes a counter where there is one' \
    "$build/host/host capture=$capture frames=60 && { [ \"\$(clock)\" != system ] || ! grep -q constant_tsc /proc/cpuinfo; }"
echo "$pass passed, $fail failed"
[ "$fail" = 0 ]
